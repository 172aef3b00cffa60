import type { Block, Inline } from '../block/block.js';
import { PLAIN } from '../block/inline-blocks.js';
import { readFragment } from '../fragment/read-fragment.js';
import { renderMail } from '../template/render-mail.js';
import { SegmentWriter } from '../template/segment-writer.js';
import { TemplateBuilder } from '../template/template-builder.js';
import type { Text } from '../variable/variable.js';
import { TextWriter } from './write-text.js';

const line = (reference: string): Inline[] => [
  { kind: 'text', text: [`{{snippet:${reference}}}`], style: PLAIN, link: null },
];
const literally = {
  text: (written: string): Text => [written],
  line,
  snippet: (reference: string): Block[] => [
    { kind: 'text', tag: 'p', align: null, direction: null, inlines: line(reference), path: [], show: null },
  ],
};

/** Writes the text part of a transactional mail from its finished HTML; `{{…}}` in it is text like any other. */
export const textFromHtml = (html: string): string => {
  const builder = new TemplateBuilder({ get: (variable) => `{{${variable}}}` });
  const out = new SegmentWriter(builder);
  const tokens = readFragment(html, literally);
  new TextWriter(out).blocks([{ kind: 'fragment', markdown: false, tokens, path: [], show: null }]);
  const template = {
    format: 1 as const,
    ...builder.finish(),
    subject: [],
    preview: null,
    html: [],
    text: out.segments,
  };
  const links = { unsubscribeUrl: '', preferencesUrl: '', onlineUrl: '' };
  return renderMail(template, { values: {}, links, currentYear: 0 }).text;
};
