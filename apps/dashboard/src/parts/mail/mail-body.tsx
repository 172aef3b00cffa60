import type { JSONContent } from '@tiptap/core';
import { useState } from 'react';
import type { ContentType } from '#content';
import { mailText } from '../../messages/en/mail.js';
import { TextArea } from '../../ui/field.js';
import { MailEditor } from './mail-editor.js';

/** The body of a mail: a document, or Markdown. */
export interface MailContent {
  contentType: ContentType;
  content: unknown;
}

/** Edits the body of a mail. A body that changes from elsewhere, such as by undo, replaces what the editor holds. */
export function MailBody({ contentType, content, onChange }: MailContent & { onChange: (body: MailContent) => void }) {
  const [held, setHeld] = useState({ content, edition: 0 });
  if (content !== held.content) setHeld({ content, edition: held.edition + 1 });
  if (contentType === 'MARKDOWN')
    return (
      <TextArea
        aria-label={mailText('source')}
        dir="auto"
        value={typeof content === 'string' ? content : ''}
        onChange={({ target }) => onChange({ content: target.value, contentType })}
        rows={24}
        className="font-mono text-sm!"
      />
    );
  return (
    <MailEditor
      key={held.edition}
      document={content as JSONContent}
      onChange={(next) => {
        setHeld(({ edition }) => ({ content: next, edition }));
        // What came from Plate is stored as the same document once it is edited.
        onChange({ content: next, contentType: 'MAILY' });
      }}
    />
  );
}
