import type { Issue } from '#contracts';
import type { AppliedOperation, AppliedOperations, Content, ContentType, ParsedContent, Warning } from '#content';
import { summarise, ToolError } from '#tool-call';

export interface Mail {
  subject: string;
  preview: string | null;
  content: Content;
  contentType: ContentType;
}

export interface WrittenContent {
  content: Content;
  contentType: ContentType;
  warnings: Warning[];
}

export const defaultMarkdown = `Hi {{firstName | 'there'}},

Write your message here.

You receive this email because you subscribed. [Unsubscribe]({{unsubscribeUrl}})
`;

export function writtenContent(contentType: ContentType, parsed: ParsedContent): WrittenContent {
  if (!parsed.ok) throw contentProblem(parsed.issues);
  return { content: parsed.content, contentType, warnings: parsed.warnings };
}

export interface ContentEdit {
  content?: unknown;
  contentType?: ContentType | undefined;
  operations?: Record<string, unknown>[] | undefined;
}

export interface AppliedEdit extends WrittenContent {
  operations: AppliedOperation[];
}

export function editedContent(contentType: ContentType, applied: AppliedOperations): AppliedEdit {
  if (applied.ok) return { ...applied, contentType };
  if (applied.issues.some(({ path }) => path[0] !== 'operations')) throw contentProblem(applied.issues);
  throw new ToolError('OPERATION_FAILED', { summary: summarise(applied.issues) }, { issues: applied.issues });
}

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

/** Paths of the issues start at the content itself. */
export function contentProblem(issues: readonly Issue[]): ToolError {
  const inBody = issues.map(({ path, message }) => ({ path: ['content', ...path], message }));
  return new ToolError('CONTENT_INVALID', { summary: summarise(inBody) }, { issues: inBody });
}
