import { ContentTooComplex, defaultContent, pageCharactersMax, SemaphoreTimeout } from '#content';
import type { ContentCompiler, ContentTasks, ContentType, ReadablePage } from '#content';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { contentProblem, defaultMarkdown, editedContent, writtenContent } from './content.js';
import type { AppliedEdit, ContentEdit, Mail, WrittenContent } from './content.js';

/** Every method refuses content that costs the compiler too much. */
export class ContentService {
  constructor(private readonly compiler: ContentCompiler) {}

  /**
   * Parses content as given; the default is the default template. @throws ToolError CONTENT_INVALID, with all issues
   */
  async read(contentType: ContentType, given: unknown, caller: Caller): Promise<WrittenContent> {
    const absent = contentType === 'MARKDOWN' ? defaultMarkdown : defaultContent();
    return writtenContent(contentType, await this.#run('parseContent', caller, contentType, given ?? absent));
  }

  async readSnippet(given: unknown, caller: Caller) {
    const parsed = await this.#run('parseSnippet', caller, given);
    if (!parsed.ok) throw contentProblem(parsed.issues);
    return parsed;
  }

  /** @returns null when the edit does not change the content */
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

  references({ subject, preview, content, contentType }: Mail, caller: Caller) {
    return this.#run('mailReferences', caller, { subject, preview, content, contentType });
  }

  /** Whether content, including its snippets, links to the unsubscribe page. */
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

  readWebPage(html: string, address: string, caller: Caller): Promise<ReadablePage> {
    // One character over the limit shows that the page is longer.
    const read = this.compiler.run('htmlToMarkdown', caller, html.slice(0, pageCharactersMax + 1), address);
    return this.#refusing(read, () => new ToolError('PAGE_NOT_READABLE', {}));
  }

  #run<K extends keyof ContentTasks>(task: K, caller: Caller, ...args: Parameters<ContentTasks[K]>) {
    const problem = ({ message }: ContentTooComplex) => contentProblem([{ path: [], message }]);
    return this.#refusing(this.compiler.run(task, caller, ...args), problem);
  }

  async #refusing<T>(work: Promise<T>, tooComplex: (error: ContentTooComplex) => ToolError): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof ContentTooComplex) throw tooComplex(error);
      if (error instanceof SemaphoreTimeout) throw new ToolError('DEADLINE_EXCEEDED', { tool: 'Reading the content' });
      throw error;
    }
  }
}
