import type { Content, ContentType, Snippet, Warning } from '../document/document.js';
import { hasUnsubscribe, variablesOf } from '../block/content-references.js';
import { directionOf } from '../block/direction.js';
import { addressLines, footerBlocks } from '../block/footer.js';
import type { Organization } from '../block/footer.js';
import { writeMail } from '../html/mail-layout.js';
import { BlockReader } from '../block/read-blocks.js';
import { renderMail } from './render-mail.js';
import { SegmentWriter } from './segment-writer.js';
import { snippetLookup } from '../block/snippet-lookup.js';
import { TemplateBuilder } from './template-builder.js';
import type { MailTemplate } from './template.js';
import { HTML_BYTES_MAX, blockWarnings, headerWarnings } from '../block/warnings.js';
import { TextWriter } from '../text/write-text.js';

export interface CompileInput {
  subject: string;
  preview: string | null;
  type: ContentType;
  content: Content;
  snippets: Record<string, Snippet>;
  organization: Organization;
  /** Whether the organization's footer follows; its own unsubscribe link appears only where the content has none. */
  footer: boolean;
  /** BCP 47; absent: undetermined, and the direction is that of most letters. */
  language?: string;
}

const LANGUAGE = /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/iu;

const SAMPLE = {
  values: {},
  placeholders: true,
  links: {
    unsubscribeUrl: 'https://mail.example.com/u/0000000000000000000000000000000000000000000000000000000000000000',
    preferencesUrl: 'https://mail.example.com/p/0000000000000000000000000000000000000000000000000000000000000000',
    onlineUrl: 'https://mail.example.com/v/0000000000000000000000000000000000000000000000000000000000000000',
  },
  currentYear: 2000,
};

const unique = (warnings: Warning[]): Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];

/**
 * Compiles a mail into a template that `renderMail` personalises. Takes milliseconds: once a send, not once a message.
 */
export const compileMail = (input: CompileInput): { template: MailTemplate; warnings: Warning[] } => {
  const { organization, language = '' } = input;
  const reader = new BlockReader(snippetLookup(input.snippets));
  const blocks = reader.content(input.type, input.content);
  const subject = reader.text(input.subject);
  const preview = input.preview === null || input.preview.trim() === '' ? null : reader.text(input.preview);
  const usesAddress = variablesOf(blocks).includes('org-address');
  const footer = input.footer
    ? footerBlocks(
        organization,
        { givesAddress: usesAddress && organization.address !== null, givesUnsubscribe: hasUnsubscribe(blocks, false) },
        language || 'en',
      )
    : [];
  const builder = new TemplateBuilder(
    new Map([
      ['org-name', organization.name],
      ['org-address', addressLines(organization).join(', ') || null],
    ]),
  );
  const write = (of: (out: SegmentWriter) => void): SegmentWriter['segments'] => {
    const out = new SegmentWriter(builder);
    of(out);
    return out.segments;
  };
  const parts = {
    subject: write((out) => out.text(subject, 'header')),
    preview: preview === null ? null : write((out) => out.text(preview, 'header')),
    html: write((out) =>
      writeMail(out, {
        subject,
        preview,
        blocks,
        footer,
        language: LANGUAGE.test(language) ? language : 'und',
        direction: directionOf(blocks, language),
      }),
    ),
    text: write((out) => new TextWriter(out).blocks([...blocks, ...footer])),
  };
  const template: MailTemplate = { format: 1, ...builder.finish(), ...parts };
  const warnings = [...reader.warnings, ...headerWarnings(subject, preview ?? []), ...blockWarnings(blocks)];
  if (usesAddress && organization.address === null) {
    warnings.push({
      code: 'ORGANIZATION_ADDRESS_MISSING',
      message: 'The content names the postal address, which the organization has not set.',
    });
  }
  const bytes = new TextEncoder().encode(renderMail(template, SAMPLE).html).length;
  if (bytes > HTML_BYTES_MAX) {
    warnings.push({
      code: 'HTML_TOO_LARGE',
      message: `The HTML has ${Math.ceil(bytes / 1024)} KB; Gmail cuts mail at 102 KB.`,
    });
  }
  return { template, warnings: unique(warnings) };
};
