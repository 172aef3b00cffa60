import type { Block, HtmlToken, Inline, Picture } from './block.js';
import type { Path } from '../document/document.js';
import type { LinkTarget } from '../variable/link-target.js';
import type { Condition } from '../template/template-builder.js';
import type { Text } from '../variable/variable.js';

export interface BlockVisitor {
  /** `conditional`: some recipients do not see the block that holds the link. */
  link?(target: LinkTarget, path: Path, conditional: boolean): void;
  picture?(picture: Picture, path: Path): void;
  text?(text: Text, path: Path): void;
  condition?(condition: Condition, path: Path): void;
  block?(block: Block): void;
}

const visitInlines = (inlines: Inline[], path: Path, conditional: boolean, callbacks: BlockVisitor): void => {
  for (const inline of inlines) {
    if (inline.kind === 'text') {
      callbacks.text?.(inline.text, path);
      if (inline.link) callbacks.link?.(inline.link, path, conditional);
    } else if (inline.kind === 'picture') visitPicture(inline.picture, path, conditional, callbacks);
  }
};

const visitPicture = (picture: Picture, path: Path, conditional: boolean, callbacks: BlockVisitor): void => {
  callbacks.picture?.(picture, path);
  callbacks.text?.(picture.alt, path);
  callbacks.text?.(picture.src.parts, path);
  if (picture.link) callbacks.link?.(picture.link, path, conditional);
};

const visitTokens = (tokens: HtmlToken[], path: Path, conditional: boolean, callbacks: BlockVisitor): void => {
  for (const token of tokens) {
    if (token.kind === 'text') callbacks.text?.(token.text, path);
    else if (token.kind === 'blocks') visit(token.blocks, conditional, callbacks);
    else if (token.kind === 'open') {
      const alt = token.attributes.find(({ name }) => name === 'alt');
      for (const attribute of token.attributes) {
        if (!('target' in attribute)) callbacks.text?.(attribute.value, path);
        else if (attribute.name === 'href') callbacks.link?.(attribute.target, path, conditional);
        else {
          const size = (name: string): number | null => {
            const found = token.attributes.find((other) => other.name === name);
            return found && 'value' in found ? Number(found.value.join('')) || null : null;
          };
          callbacks.picture?.(
            {
              src: attribute.target,
              alt: alt && 'value' in alt ? alt.value : [],
              width: size('width'),
              height: size('height'),
              radius: 0,
              link: null,
            },
            path,
          );
        }
      }
    }
  }
};

const visitOne = (block: Block, conditional: boolean, callbacks: BlockVisitor): void => {
  const { path } = block;
  callbacks.block?.(block);
  switch (block.kind) {
    case 'text':
      return visitInlines(block.inlines, path, conditional, callbacks);
    case 'button':
      callbacks.text?.(block.text, path);
      return callbacks.link?.(block.target, path, conditional);
    case 'image':
      return visitPicture(block.picture, path, conditional, callbacks);
    case 'code':
      return callbacks.text?.(block.text, path);
    case 'card':
      for (const text of [block.title, block.text, block.label]) callbacks.text?.(text, path);
      if (block.picture) visitPicture(block.picture, path, conditional, callbacks);
      if (block.target) callbacks.link?.(block.target, path, conditional);
      return;
    case 'list':
    case 'columns':
      for (const part of block.kind === 'list' ? block.items : block.columns) {
        if (part.show) callbacks.condition?.(part.show, part.path);
        visit(part.blocks, conditional || part.show !== null, callbacks);
      }
      return;
    case 'table':
      for (const cell of block.rows.flat()) visit(cell.blocks, conditional, callbacks);
      return;
    case 'fragment':
      return visitTokens(block.tokens, path, conditional, callbacks);
    case 'rule':
    case 'spacer':
      return;
    default:
      return visit(block.blocks, conditional, callbacks);
  }
};

export const visit = (blocks: Block[], conditional: boolean, callbacks: BlockVisitor): void => {
  for (const block of blocks) {
    if (block.show) callbacks.condition?.(block.show, block.path);
    visitOne(block, conditional || block.show !== null, callbacks);
  }
};
