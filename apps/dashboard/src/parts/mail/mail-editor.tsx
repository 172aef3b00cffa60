import { EditorContent, useEditor } from '@tiptap/react';
import type { JSONContent } from '@tiptap/core';
import { useState } from 'react';
import { mailText } from '../../messages/en/mail.js';
import { imageAttributes } from '../images/hosted-image.js';
import type { HostedImage } from '../images/hosted-image.js';
import { ImageDialog } from '../images/image-dialog.js';
import { changeNode, insertNode } from './insert-node.js';
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
  const [choosing, setChoosing] = useState<'insert' | 'replace' | null>(null);
  const insertImage = (image: HostedImage | null) => {
    setChoosing(null);
    if (choosing === 'insert') insertNode(editor, { type: 'image', ...(image && { attrs: imageAttributes(image) }) });
    else if (image) changeNode(editor, imageAttributes(image));
  };
  return (
    <>
      <div className="mail-editor rounded-lg border border-line bg-paper">
        <MailToolbar editor={editor} isPart={isPart} onImage={() => setChoosing('insert')} />
        <NodeFields editor={editor} onImage={() => setChoosing('replace')} />
        <EditorContent editor={editor} />
      </div>
      {choosing && (
        <ImageDialog
          onChoose={insertImage}
          {...(choosing === 'insert' && { onAddress: () => insertImage(null) })}
          onClose={() => setChoosing(null)}
        />
      )}
    </>
  );
}
