import {
  compileMail,
  contentReferences,
  parseContent,
  renderMail,
  textFromHtml,
  textReferences,
  yearIn,
} from '#content';
import type { MailTemplate, RenderInput } from '#content';
import type { Filter, Issue, OrganizationFacts } from '#contracts';
import { summarise, ToolError } from '#tool-call';
import type { EmailArgs } from './email.js';
import { withPreview } from './preview.js';

/** What one email says, as it goes out; null where there is no such part. */
export interface EmailText {
  subject: string;
  html: string;
  text: string | null;
}

/** A rich-text document, ready to be filled for one person. */
export interface EmailTemplate {
  template: MailTemplate;
  warnings: string[];
  /** The filter lists that decide on blocks. */
  showIf: Filter[][];
}

/** Of a mail's own links, these are about campaigns or need an address of the mail itself. */
const unknownVariables = ['onlineUrl', 'confirmUrl'];

/** The text part: as given, or made from the HTML when nothing is said; an empty one is none. */
const textOf = (given: string | undefined, made: () => string): string | null =>
  given === undefined ? made() : given.trim() === '' ? null : given;

/** Finished HTML goes out as it is, with the preview before it. */
export const htmlEmail = ({ subject, html, text, preview }: EmailArgs & { html: string }): EmailText => ({
  subject,
  html: preview ? withPreview(html, preview) : html,
  text: textOf(text, () => textFromHtml(html)),
});

const namedMax = 5;

/** Warns of variables that nobody fills in: finished HTML with its subject, and any text of its own, go out as they are. */
export function unfilledWarnings({ subject, preview, html, text }: EmailArgs): string[] {
  const written = html === undefined ? [text] : [subject, preview, html, text];
  const names = [...new Set(written.flatMap((part) => textReferences(part ?? '').variables))];
  if (names.length === 0) return [];
  const named = names.slice(0, namedMax).map((name) => `{{${name}}}`);
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return [`Goes out as it is written: ${named.join(', ')}${more}. Only a document (tiptap) is filled in.`];
}

/** Compiles a document. @throws ToolError CONTENT_INVALID with all issues */
export function compileEmail(
  { subject, preview, tiptap, contentType: type = 'MAILY' }: EmailArgs,
  organization: Pick<OrganizationFacts, 'name' | 'address'>,
): EmailTemplate {
  const parsed = parseContent(type, tiptap);
  if (!parsed.ok) throw contentInvalid(parsed.issues);
  const { snippets } = contentReferences(type, parsed.content);
  const { template, warnings } = compileMail({
    ...{ subject, preview: preview ?? null, type, content: parsed.content, snippets: {}, organization },
    footer: false,
  });
  const without = [
    ...snippets.map((name) => `{{snippet:${name}}}`),
    ...template.variables.filter((name) => unknownVariables.includes(name)).map((name) => `{{${name}}}`),
  ];
  if (without.length > 0) {
    throw contentInvalid([{ path: [], message: `transactional email has no ${without.join(', ')}` }]);
  }
  const said = [...parsed.warnings, ...warnings].map(({ message }) => message);
  return { template, warnings: [...new Set(said)], showIf: template.showIf as Filter[][] };
}

/** Fills a document for one person. */
export function renderEmail(
  { template }: EmailTemplate,
  { text }: Pick<EmailArgs, 'text'>,
  input: Omit<RenderInput, 'currentYear'> & { timezone: string; now: Date },
): EmailText {
  const rendered = renderMail(template, { ...input, currentYear: yearIn(input.timezone, input.now) });
  return { subject: rendered.subject, html: rendered.html, text: textOf(text, () => rendered.text) };
}

/** The refusal of a document; paths start at the document itself. */
export function contentInvalid(issues: readonly Issue[]): ToolError {
  const inBody = issues.map(({ path, message }) => ({ path: ['tiptap', ...path], message }));
  return new ToolError('CONTENT_INVALID', { summary: summarise(inBody) }, { issues: inBody });
}
