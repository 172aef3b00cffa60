import type { Editor } from '@tiptap/core';
import { mailText } from '../../messages/en/mail.js';
import { mailWord } from '../../messages/en/mail-words.js';
import { imageText } from '../../messages/en/images.js';
import { Button, IconButton } from '../../ui/button.js';
import { ScreenLink } from '../screen-link.js';
import { changeNode } from './insert-node.js';
import { Field, TextInput } from '../../ui/field.js';

/** Attributes that an author writes, by node. */
const fieldsOf = {
  button: ['text', 'url'],
  image: ['src', 'alt', 'href'],
  logo: ['src', 'alt', 'href'],
  inlineImage: ['src', 'alt', 'href'],
  linkCard: ['title', 'description', 'link'],
  spacer: ['height'],
  variable: ['fallback'],
  snippet: [],
} as const satisfies Record<string, readonly string[]>;

const imageNodes: ReadonlySet<string> = new Set(['image', 'logo', 'inlineImage']);

/** The fields of the node that is selected: the text of a button, the address of an image. */
export function NodeFields({ editor, onImage }: { editor: Editor; onImage: () => void }) {
  const { selection } = editor.state;
  const node = (selection as { node?: { type: { name: string }; attrs: Record<string, unknown> } }).node;
  const type = node?.type.name;
  if (!node || type === undefined || !(type in fieldsOf)) return null;
  const change = (name: string, value: string) => {
    const own = name === 'height' ? Number(value) || null : value || null;
    changeNode(editor, { [name]: own });
  };
  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line bg-ground/60 px-3 py-2.5">
      <span className="sr-only">{mailText('node.selected', { type: mailWord(type) })}</span>
      {fieldsOf[type as keyof typeof fieldsOf].map((name) => (
        <div key={name} className="min-w-36 flex-1">
          <Field label={mailText(`attribute.${name}`)}>
            {(control) => (
              <TextInput
                {...control}
                value={String((node.attrs[name] as string | number | null) ?? '')}
                onChange={({ target }) => change(name, target.value)}
              />
            )}
          </Field>
        </div>
      ))}
      {type === 'snippet' && (
        <ScreenLink
          screen="snippet"
          params={{ snippetId: String(node.attrs.snippetId) }}
          className="min-w-0 flex-1 self-center truncate text-accent underline underline-offset-2"
        >
          {mailText('node.snippet', { name: String(node.attrs.name ?? mailWord(type)) })}
        </ScreenLink>
      )}
      <div className="ms-auto flex items-center gap-1">
        {imageNodes.has(type) && (
          <Button icon="image" onClick={onImage}>
            {imageText('choose.button')}
          </Button>
        )}
        <IconButton
          icon="trash"
          label={mailText('node.remove')}
          onClick={() => editor.chain().focus().deleteSelection().run()}
        />
      </div>
    </div>
  );
}
