import type { Issue } from '#contracts';
import type { AppliedOperation, AppliedOperations, Content, ContentType, ParsedContent, Warning } from '#content';
import { summarise, ToolError } from '#tool-call';

/** A mail as its author wrote it. */
export interface Mail {
  subject: string;
  preview: string | null;
  content: Content;
  contentType: ContentType;
}

/** Valid content, ready to be stored. */
export interface WrittenContent {
  content: Content;
  contentType: ContentType;
  warnings: Warning[];
}

export const defaultMarkdown = `Hi {{firstName | 'there'}},

Write your message here.

You receive this email because you subscribed. [Unsubscribe]({{unsubscribeUrl}})
`;

/** Returns parsed content. @throws ToolError CONTENT_INVALID, with all issues */
export function writtenContent(contentType: ContentType, parsed: ParsedContent): WrittenContent {
  if (!parsed.ok) throw contentProblem(parsed.issues);
  return { content: parsed.content, contentType, warnings: parsed.warnings };
}

/** The requested change of a campaign's content, if any. */
export interface ContentEdit {
  content?: unknown;
  contentType?: ContentType | undefined;
  operations?: Record<string, unknown>[] | undefined;
}

export interface AppliedEdit extends WrittenContent {
  operations: AppliedOperation[];
}

/** Returns content after operations. @throws ToolError CONTENT_INVALID, OPERATION_FAILED */
export function editedContent(contentType: ContentType, applied: AppliedOperations): AppliedEdit {
  if (applied.ok) return { ...applied, contentType };
  if (applied.issues.some(({ path }) => path[0] !== 'operations')) throw contentProblem(applied.issues);
  throw new ToolError('OPERATION_FAILED', { summary: summarise(applied.issues) }, { issues: applied.issues });
}

/** Returns the path of the first block with these filters. */
export function pathOfShowIf(content: unknown, showIf: unknown, path: Issue['path'] = []): Issue['path'] | null {
  if (content === null || typeof content !== 'object') return null;
  for (const [key, value] of Object.entries(content)) {
    const at = [...path, Array.isArray(content) ? Number(key) : key];
    if (key === 'showIf' && JSON.stringify(value) === JSON.stringify(showIf)) return at;
    const deeper = pathOfShowIf(value, showIf, at);
    if (deeper) return deeper;
  }
  return null;
}

/** Builds the refusal of content; paths start at the content itself. */
export function contentProblem(issues: readonly Issue[]): ToolError {
  const inBody = issues.map(({ path, message }) => ({ path: ['content', ...path], message }));
  return new ToolError('CONTENT_INVALID', { summary: summarise(inBody) }, { issues: inBody });
}

/** Links of a preview. They lead nowhere, since there is no sent message to identify a recipient. */
export const previewLinks = { unsubscribeUrl: '#unsubscribe', preferencesUrl: '#preferences', onlineUrl: '#online' };
