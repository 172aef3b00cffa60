import { useQuery } from '@tanstack/react-query';
import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { queries } from '../../data/tools.calls.js';
import { mailText } from '../../messages/en/mail.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Field, TextInput } from '../../ui/field.js';
import { Icon } from '../../ui/icon.js';
import { insertNode } from './insert-node.js';
import { menuItemClass, Popover } from '../../ui/popover.js';
import { Toolbar } from '../../ui/toolbar.js';

const toolClass = (isOn = false) =>
  classNames(
    'grid h-8 min-w-7.5 place-items-center rounded-md px-1.5 text-sm focus-visible:-outline-offset-2 disabled:opacity-40',
    isOn ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-sunk hover:text-ink',
  );

interface Tool {
  label: string;
  sign: string;
  signClass?: string;
  isOn: boolean;
  act: () => boolean;
}

const toolsOf = (editor: Editor): Tool[] => {
  const chain = () => editor.chain().focus();
  return [
    {
      label: mailText('tool.bold'),
      sign: 'B',
      signClass: 'font-bold',
      isOn: editor.isActive('bold'),
      act: () => chain().toggleBold().run(),
    },
    {
      label: mailText('tool.italic'),
      sign: 'I',
      signClass: 'italic',
      isOn: editor.isActive('italic'),
      act: () => chain().toggleItalic().run(),
    },
    {
      label: mailText('tool.underline'),
      sign: 'U',
      signClass: 'underline',
      isOn: editor.isActive('underline'),
      act: () => chain().toggleUnderline().run(),
    },
    {
      label: mailText('tool.heading1'),
      sign: 'H1',
      isOn: editor.isActive('heading', { level: 1 }),
      act: () => chain().toggleHeading({ level: 1 }).run(),
    },
    {
      label: mailText('tool.heading2'),
      sign: 'H2',
      isOn: editor.isActive('heading', { level: 2 }),
      act: () => chain().toggleHeading({ level: 2 }).run(),
    },
    {
      label: mailText('tool.bulletList'),
      sign: '•',
      isOn: editor.isActive('bulletList'),
      act: () => chain().toggleBulletList().run(),
    },
    {
      label: mailText('tool.orderedList'),
      sign: '1.',
      isOn: editor.isActive('orderedList'),
      act: () => chain().toggleOrderedList().run(),
    },
    {
      label: mailText('tool.blockquote'),
      sign: '”',
      isOn: editor.isActive('blockquote'),
      act: () => chain().toggleBlockquote().run(),
    },
  ];
};

/** What formats and inserts. */
export function MailToolbar({
  editor,
  isPart,
  onImage,
}: {
  editor: Editor;
  /** A snippet, which holds no other. */
  isPart: boolean;
  /** Asks for the image to insert. */
  onImage: () => void;
}) {
  return (
    <Toolbar
      label={mailText('tool.bar')}
      className="sticky top-0 z-10 flex flex-wrap items-center gap-0.5 rounded-t-lg border-b border-line bg-paper p-1"
    >
      {toolsOf(editor).map(({ label, sign, signClass, isOn, act }) => (
        <button
          key={label}
          type="button"
          title={label}
          aria-label={label}
          aria-pressed={isOn}
          className={toolClass(isOn)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={act}
        >
          <span aria-hidden="true" className={signClass}>
            {sign}
          </span>
        </button>
      ))}
      <LinkTool editor={editor} />
      <span className="mx-1 h-5 w-px bg-line" />
      <InsertTool editor={editor} isPart={isPart} onImage={onImage} />
      <VariableTool editor={editor} />
    </Toolbar>
  );
}

const menuButton = (label: string) => (
  <>
    {label}
    <Icon name="chevronDown" size={12} />
  </>
);
const menuClass = classNames(toolClass(), 'flex! items-center gap-1');

function LinkTool({ editor }: { editor: Editor }) {
  const isOn = editor.isActive('link');
  const [address, setAddress] = useState<string | null>(null);
  const current = address ?? (editor.getAttributes('link').href as string | undefined) ?? '';
  return (
    <Popover button={mailText('tool.link')} buttonClassName={toolClass(isOn)}>
      {(close) => {
        const set = (href: string) => {
          const chain = editor.chain().focus().extendMarkRange('link');
          if (href === '') chain.unsetLink().run();
          else if (editor.state.selection.empty && !isOn)
            chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run();
          else chain.setMark('link', { href }).run();
          setAddress(null);
          close();
        };
        return (
          <form
            className="flex w-80 max-w-full flex-col gap-2 p-2"
            onSubmit={(event) => {
              event.preventDefault();
              set(current.trim());
            }}
          >
            <Field label={mailText('tool.linkAddress')}>
              {(control) => (
                <TextInput
                  {...control}
                  data-autofocus=""
                  value={current}
                  onChange={({ target }) => setAddress(target.value)}
                />
              )}
            </Field>
            <div className="flex gap-2">
              <Button type="submit" small look="primary">
                {mailText('tool.linkSet')}
              </Button>
              {isOn && (
                <Button small onClick={() => set('')}>
                  {mailText('tool.linkRemove')}
                </Button>
              )}
            </div>
          </form>
        );
      }}
    </Popover>
  );
}

function InsertTool({ editor, isPart, onImage }: { editor: Editor; isPart: boolean; onImage: () => void }) {
  const nodes = [
    [mailText('tool.button'), { type: 'button', attrs: { text: mailText('tool.buttonText') } }],
    [mailText('tool.image'), { type: 'image' }],
    [mailText('tool.rule'), { type: 'horizontalRule' }],
    [mailText('tool.spacer'), { type: 'spacer', attrs: { height: 24 } }],
  ] as const;
  return (
    <Popover button={menuButton(mailText('tool.insert'))} buttonClassName={menuClass}>
      {(close) => (
        <>
          {nodes.map(([label, node]) => (
            <button
              key={label}
              type="button"
              className={menuItemClass}
              onClick={() => {
                close();
                if (node.type === 'image') onImage();
                else insertNode(editor, node);
              }}
            >
              {label}
            </button>
          ))}
          {!isPart && <SnippetItems editor={editor} close={close} />}
        </>
      )}
    </Popover>
  );
}

function VariableTool({ editor }: { editor: Editor }) {
  const { data } = useQuery({ ...queries.get_available_variables({}), staleTime: 300_000 });
  const variables = (data?.variables ?? []).filter(({ group }) => group !== 'snippet' && group !== 'link');
  return (
    <Popover button={menuButton(mailText('tool.variables'))} buttonClassName={menuClass}>
      {(close) =>
        variables.map(({ name, description }) => (
          <button
            key={name}
            type="button"
            className={classNames(menuItemClass, 'max-w-96')}
            onClick={() => {
              close();
              editor
                .chain()
                .focus()
                .insertContent({ type: 'variable', attrs: { id: name } })
                .run();
            }}
          >
            <span className="font-mono text-sm">{name}</span>
            <span className="min-w-0 flex-1 truncate text-sm text-soft">{description}</span>
          </button>
        ))
      }
    </Popover>
  );
}

/** The snippets of the organization, as further items of a menu. */
function SnippetItems({ editor, close }: { editor: Editor; close: () => void }) {
  const { data } = useQuery({ ...queries.get_email_snippets({}), staleTime: 60_000 });
  if (!data || data.snippets.length === 0) return null;
  return (
    <div role="group" aria-label={mailText('tool.snippets')} className="mt-1 border-t border-line pt-1">
      <p aria-hidden="true" className="px-2 py-1 text-xs font-medium text-soft">
        {mailText('tool.snippets')}
      </p>
      {data.snippets.map(({ id, name, description }) => (
        <button
          key={id}
          type="button"
          className={classNames(menuItemClass, 'max-w-96')}
          onClick={() => {
            close();
            insertNode(editor, { type: 'snippet', attrs: { snippetId: id, name } });
          }}
        >
          <span className="max-w-56 truncate">{name}</span>
          <span className="min-w-0 flex-1 truncate text-sm text-soft">{description}</span>
        </button>
      ))}
    </div>
  );
}
