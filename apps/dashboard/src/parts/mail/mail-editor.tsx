import { EditorContent, useEditor } from '@tiptap/react';
import type { JSONContent } from '@tiptap/core';
import { mailText } from '../../messages/en/mail.js';
import { MailToolbar } from './mail-toolbar.js';
import './mail-editor.css';
import { documentOf, mailExtensions, toEditor } from './mail-nodes.js';
import { NodeFields } from './node-fields.js';

/** Edits a document. What was typed leads to `onChange`; the document that came first stays until then. */
export function MailEditor({
  document,
  label = mailText('body'),
  isPart = false,
  onChange,
}: {
  document: JSONContent;
  label?: string;
  /** A snippet, which holds no other. */
  isPart?: boolean;
  onChange: (next: JSONContent) => void;
}) {
  const editor = useEditor({
    extensions: mailExtensions(),
    content: toEditor(document),
    injectCSS: false,
    shouldRerenderOnTransaction: true,
    editorProps: {
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': label, spellcheck: 'true' },
    },
    onUpdate: ({ editor: own }) => onChange(documentOf(own.state.doc)),
  });
  return (
    <div className="mail-editor rounded-lg border border-line bg-paper">
      <MailToolbar editor={editor} isPart={isPart} />
      <NodeFields editor={editor} />
      <EditorContent editor={editor} />
    </div>
  );
}
