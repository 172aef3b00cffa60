import { Extension, Mark, mergeAttributes, Node } from '@tiptap/core';
import type { Extensions, JSONContent } from '@tiptap/core';
import type { Node as EditorNode } from '@tiptap/pm/model';
import { StarterKit } from '@tiptap/starter-kit';
import { NODE_RULES } from '#content';
import type { NodeRule } from '#content';
import { mailWord } from '../../messages/en/mail-words.js';

/** Nodes and marks that the starter kit brings, under the same names. */
const ready = new Set([
  'paragraph',
  'heading',
  'blockquote',
  'codeBlock',
  'bulletList',
  'orderedList',
  'listItem',
  'horizontalRule',
  'text',
  'hardBreak',
]);
const readyAttributes = new Set(['level', 'start', 'type', 'language']);

const contentOf = ({ content }: NodeRule): string => {
  if (content === null) return '';
  if (content === 'inline') return 'inline*';
  if (content === 'text') return 'text*';
  if (content === 'flow') return 'block*';
  return content === 'row' ? '(tableCell | tableHeader)*' : `${content}*`;
};

const attributesOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { default: null, rendered: false }]));

/** What a card says of a node: the first of these attributes that it has. */
const telling = ['text', 'alt', 'title', 'name', 'snippetId', 'src', 'height', 'each'];

/** A node as a box, a card or a chip: what it looks like shows in the preview. */
function viewOf(type: string, rule: NodeRule, attrs: Record<string, unknown>) {
  const dom = document.createElement(rule.group === 'inline' ? 'span' : 'div');
  dom.dataset.node = type;
  if (rule.content !== null) {
    dom.className = 'mail-box';
    dom.dataset.label = mailWord(type);
    const contentDOM = document.createElement('div');
    dom.append(contentDOM);
    return { dom, contentDOM };
  }
  dom.className = rule.group === 'inline' ? 'mail-chip' : 'mail-card';
  const fact = telling
    .map((name) => attrs[name])
    .find((value) => value !== null && value !== undefined && value !== '');
  const fallback = attrs.fallback ? ` | ${String(attrs.fallback)}` : '';
  dom.textContent =
    type === 'variable' ? `${String(attrs.id)}${fallback}` : [mailWord(type), fact].filter(Boolean).join(': ');
  return { dom };
}

const nodeOf = ([name, rule]: [string, NodeRule]) =>
  Node.create({
    name,
    ...(rule.group !== 'structure' && { group: rule.group }),
    inline: rule.group === 'inline',
    content: contentOf(rule),
    atom: rule.content === null,
    selectable: true,
    draggable: rule.content === null,
    isolating: rule.group === 'structure',
    ...(rule.content === 'text' && { code: true, marks: '' }),
    addAttributes: () => attributesOf(Object.keys(rule.attributes)),
    parseHTML: () => [{ tag: `[data-node="${name}"]` }],
    renderHTML: ({ HTMLAttributes }) => [
      rule.group === 'inline' ? 'span' : 'div',
      mergeAttributes(HTMLAttributes, { 'data-node': name }),
      ...(rule.content === null ? [] : [0]),
    ],
    addNodeView:
      () =>
      ({ node }) =>
        viewOf(name, rule, node.attrs),
  });

/** Attributes of the starter kit's nodes that only mails have, such as `showIf`. */
const mailAttributes = Extension.create({
  name: 'mailAttributes',
  addGlobalAttributes: () =>
    [...NODE_RULES].flatMap(([name, { attributes }]) => {
      const names = Object.keys(attributes).filter((one) => !readyAttributes.has(one));
      return ready.has(name) && names.length > 0 ? [{ types: [name], attributes: attributesOf(names) }] : [];
    }),
});

const textStyle = Mark.create({
  name: 'textStyle',
  addAttributes: () => attributesOf(['color']),
  renderHTML: () => ['span', 0],
});

/** Everything a mail can hold, from the rules of the content library. */
export const mailExtensions = (): Extensions => [
  StarterKit.configure({
    heading: { levels: [1, 2, 3] },
    trailingNode: false,
    link: { openOnClick: false, HTMLAttributes: { target: null, rel: null }, protocols: ['mailto', 'tel'] },
  }),
  mailAttributes,
  textStyle,
  ...[...NODE_RULES].filter(([name]) => !ready.has(name)).map(nodeOf),
];

const isInline = ({ type }: JSONContent): boolean => NODE_RULES.get(type ?? '')?.group === 'inline';

/** A document as the editor takes it: text that stands directly in a box gets a paragraph. */
export function toEditor(node: JSONContent): JSONContent {
  if (!node.content) return node;
  const content = node.content.map(toEditor);
  if (node.type !== 'doc' && NODE_RULES.get(node.type ?? '')?.content !== 'flow') return { ...node, content };
  const blocks: JSONContent[] = [];
  let open: JSONContent | null = null;
  for (const child of content) {
    if (!isInline(child)) {
      open = null;
      blocks.push(child);
    } else if (open) open.content!.push(child);
    else blocks.push((open = { type: 'paragraph', content: [child] }));
  }
  return { ...node, content: blocks };
}

const withoutNulls = (attrs: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(attrs).filter(([, value]) => value !== null && value !== undefined));

/** A picture that has no address yet cannot be saved. */
const isUnfinished = ({ type = '', attrs }: JSONContent): boolean =>
  NODE_RULES.get(type)?.required?.includes('src') === true && !attrs?.src;

/** A node as the API takes it: attributes without a value and pictures without an address are left out. */
function fromEditor({ attrs, content, marks, ...node }: JSONContent): JSONContent {
  const set = withoutNulls(attrs ?? {});
  return {
    ...node,
    ...(Object.keys(set).length > 0 && { attrs: set }),
    ...(content && { content: content.filter((child) => !isUnfinished(child)).map(fromEditor) }),
    ...(marks && {
      marks: marks.map((mark) => {
        const own = withoutNulls(mark.attrs ?? {});
        return { type: mark.type, ...(Object.keys(own).length > 0 && { attrs: own }) };
      }),
    }),
  };
}

const converted = new WeakMap<EditorNode, JSONContent[]>();

/** The editor's whole document as the API takes it. A block that stays the same is converted once: mails have up to 5,000. */
export function documentOf(doc: EditorNode): JSONContent {
  const content = doc.children.flatMap((block) => {
    const made = converted.get(block) ?? fromEditor({ content: [block.toJSON() as JSONContent] }).content ?? [];
    converted.set(block, made);
    return made;
  });
  return { type: 'doc', content };
}
