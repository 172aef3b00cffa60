import type { Block } from '../block/block.js';
import { readFragment } from '../fragment/read-fragment.js';
import { renderMail } from '../template/render-mail.js';
import { SegmentWriter } from '../template/segment-writer.js';
import { TemplateBuilder } from '../template/template-builder.js';
import type { Text } from '../variable/variable.js';
import { TextWriter } from './write-text.js';

const literally = { text: (written: string): Text => [written], snippet: (): Block[] => [] };

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
