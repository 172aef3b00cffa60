import { parse } from 'parse5';
import type { DefaultTreeAdapterMap } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];

/** An element as the parser saw it. */
export interface SeenElement {
  tag: string;
  attributes: Record<string, string>;
}

/** All elements of a page in order, as an independent HTML parser understands it, `template` contents included. */
export const elementsOf = (html: string): SeenElement[] => {
  const seen: SeenElement[] = [];
  const walk = (node: Node): void => {
    if ('tagName' in node) {
      seen.push({
        tag: node.tagName,
        attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
      });
    }
    if ('content' in node) walk(node.content);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parse(html));
  return seen;
};

const FORBIDDEN = new Set(
  'script iframe frame frameset object embed applet form input button textarea select base link svg math template noscript audio video source track marquee portal dialog'.split(
    ' ',
  ),
);
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|sms:|#|$)/iu;

/** Everything in a page that could run, load or submit something it should not. */
export const dangersOf = (html: string): string[] =>
  elementsOf(html).flatMap(({ tag, attributes }) => [
    ...(FORBIDDEN.has(tag) ? [`<${tag}>`] : []),
    ...Object.entries(attributes).flatMap(([name, value]) => {
      if (/^on|^(?:srcdoc|formaction|action|xlink:href|ping|background|poster|srcset|data|is|nonce)$/iu.test(name))
        return [`<${tag} ${name}>`];
      if ((name === 'href' || name === 'src') && !ADDRESS.test(value)) return [`<${tag} ${name}="${value}">`];
      if (
        name === 'style' &&
        /url\(|expression|javascript|@import|behavior|-moz-binding|position|[{}<]/iu.test(value)
      ) {
        return [`<${tag} style="${value}">`];
      }
      return [];
    }),
  ]);
