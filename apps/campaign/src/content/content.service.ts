import { ContentTooComplex, defaultContent, SemaphoreTimeout } from '#content';
import type { ContentCompiler, ContentTasks, ContentType } from '#content';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { contentProblem, defaultMarkdown, editedContent, writtenContent } from './content.js';
import type { AppliedEdit, ContentEdit, Mail, WrittenContent } from './content.js';

/** Reads, edits and compiles content on the compiler's threads. Every method refuses content that costs too much. */
export class ContentService {
  constructor(private readonly compiler: ContentCompiler) {}

  /** Reads content as given; nothing given is the default template. @throws ToolError CONTENT_INVALID, with all issues */
  async read(contentType: ContentType, given: unknown, caller: Caller): Promise<WrittenContent> {
    const absent = contentType === 'MARKDOWN' ? defaultMarkdown : defaultContent();
    return writtenContent(contentType, await this.#run('parseContent', caller, contentType, given ?? absent));
  }

  /** Reads a snippet's document. @throws ToolError CONTENT_INVALID */
  async readSnippet(given: unknown, caller: Caller) {
    const parsed = await this.#run('parseSnippet', caller, given);
    if (!parsed.ok) throw contentProblem(parsed.issues);
    return parsed;
  }

  /**
   * Rewrites content whole or by operations.
   * @returns null when the edit leaves the content alone
   * @throws ToolError CONTENT_INVALID, OPERATION_FAILED
   */
  async edit(
    { content, contentType }: Mail,
    edit: ContentEdit,
    caller: Caller,
  ): Promise<(WrittenContent & Partial<AppliedEdit>) | null> {
    if (edit.content != null) return await this.read(edit.contentType ?? contentType, edit.content, caller);
    if (!edit.operations) return null;
    return editedContent(
      contentType,
      await this.#run('applyOperations', caller, contentType, content, edit.operations),
    );
  }

  /** What a mail refers to, subject and preview included. */
  references({ subject, preview, content, contentType }: Mail, caller: Caller) {
    return this.#run('mailReferences', caller, { subject, preview, content, contentType });
  }

  /** Whether content, snippets included, links to the page that unsubscribes. */
  hasUnsubscribeLink(
    { content, contentType }: Mail,
    snippets: Parameters<ContentTasks['hasUnsubscribeLink']>[2],
    caller: Caller,
  ) {
    return this.#run('hasUnsubscribeLink', caller, contentType, content, snippets);
  }

  compile(input: Parameters<ContentTasks['compileMail']>[0], caller: Caller) {
    return this.#run('compileMail', caller, input);
  }

  /** @throws ToolError CONTENT_INVALID past a limit, DEADLINE_EXCEEDED when no thread was free in time */
  async #run<K extends keyof ContentTasks>(task: K, caller: Caller, ...args: Parameters<ContentTasks[K]>) {
    try {
      return await this.compiler.run(task, caller, ...args);
    } catch (error) {
      if (error instanceof ContentTooComplex) throw contentProblem([{ path: [], message: error.message }]);
      if (error instanceof SemaphoreTimeout) throw new ToolError('DEADLINE_EXCEEDED', { tool: 'Reading the content' });
      throw error;
    }
  }
}
