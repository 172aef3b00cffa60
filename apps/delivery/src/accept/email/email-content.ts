import { ContentTooComplex, renderMail, SemaphoreTimeout, textReferences, yearIn } from '#content';
import type { ContentCompiler, ContentTasks, MailTemplate, RenderInput } from '#content';
import type { Filter, Issue, OrganizationFacts } from '#contracts';
import { summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { EmailArgs } from './email.js';
import { withPreview } from './preview.js';

/** The content of one email, as sent; null for a part that it lacks. */
export interface EmailText {
  subject: string;
  html: string;
  text: string | null;
}

export interface EmailTemplate {
  template: MailTemplate;
  warnings: string[];
  showIf: Filter[][];
}

/** Of a mail's own links, these are about campaigns or need an address of the mail itself. */
const unknownVariables = ['onlineUrl', 'confirmUrl'];

const givenText = (given: string): string | null => (given.trim() === '' ? null : given);

interface ContentWork {
  content: ContentCompiler;
  caller: Caller;
}

/** @throws ToolError CONTENT_INVALID past a limit of the compiler, DEADLINE_EXCEEDED when no thread was free in time */
async function run<K extends keyof ContentTasks>(
  task: K,
  { content, caller }: ContentWork,
  ...args: Parameters<ContentTasks[K]>
) {
  try {
    return await content.run(task, caller, ...args);
  } catch (error) {
    if (error instanceof ContentTooComplex) throw contentInvalid([{ path: [], message: error.message }]);
    if (error instanceof SemaphoreTimeout) throw new ToolError('DEADLINE_EXCEEDED', { tool: 'Reading the content' });
    throw error;
  }
}

/** Finished HTML is sent unchanged, with the preview before it; a missing text part is derived from it. */
export async function htmlEmail(
  { subject, html, text, preview }: EmailArgs & { html: string },
  work: ContentWork,
): Promise<EmailText> {
  return {
    subject,
    html: preview ? withPreview(html, preview) : html,
    text: text === undefined ? await run('textFromHtml', work, html) : givenText(text),
  };
}

const namedMax = 5;

/**
 * Warns of variables that are never filled in: finished HTML with its subject, and its text part, are sent unchanged.
 */
export function unfilledWarnings({ subject, preview, html, text }: EmailArgs): string[] {
  const written = html === undefined ? [text] : [subject, preview, html, text];
  const names = [...new Set(written.flatMap((part) => textReferences(part ?? '').variables))];
  if (names.length === 0) return [];
  const named = names.slice(0, namedMax).map((name) => `{{${name}}}`);
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return [`Goes out as it is written: ${named.join(', ')}${more}. Only a document (tiptap) is filled in.`];
}

/** Compiles a document. @throws ToolError CONTENT_INVALID with all issues */
export async function compileEmail(
  { subject, preview, tiptap, contentType: type = 'MAILY' }: EmailArgs,
  { name, address }: Pick<OrganizationFacts, 'name' | 'address'>,
  work: ContentWork,
): Promise<EmailTemplate> {
  const parsed = await run('parseContent', work, type, tiptap);
  if (!parsed.ok) throw contentInvalid(parsed.issues);
  const { content } = parsed;
  const { snippets } = await run('mailReferences', work, { subject: '', preview: null, contentType: type, content });
  const organization = { name, address };
  const { template, warnings } = await run('compileMail', work, {
    subject,
    preview: preview ?? null,
    type,
    content,
    snippets: {},
    organization,
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

export function renderEmail(
  { template }: EmailTemplate,
  { text }: Pick<EmailArgs, 'text'>,
  input: Omit<RenderInput, 'currentYear'> & { timezone: string; now: Date },
): EmailText {
  const rendered = renderMail(template, { ...input, currentYear: yearIn(input.timezone, input.now) });
  return { subject: rendered.subject, html: rendered.html, text: text === undefined ? rendered.text : givenText(text) };
}

export function contentInvalid(issues: readonly Issue[]): ToolError {
  const inBody = issues.map(({ path, message }) => ({ path: ['tiptap', ...path], message }));
  return new ToolError('CONTENT_INVALID', { summary: summarise(inBody) }, { issues: inBody });
}
