import type { ServiceBus } from '#bus';
import { compileMail, contentReferences } from '#content';
import type { MailTemplate, Snippet, Warning } from '#content';
import { domainRequests, subscriberRequests } from '#contracts';
import type { Filter, OrganizationFacts } from '#contracts';
import { nameKey, RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { SnippetRepository } from '../snippet/snippet.repository.js';
import { contentProblem, pathOfShowIf, snippetReferences } from './content.js';
import type { Mail } from './content.js';

/** A compiled mail and the organization it comes from. */
export interface ComposedMail {
  template: MailTemplate;
  warnings: Warning[];
  organization: OrganizationFacts;
}

/** What the newest mails were compiled to, by all that goes into them: looked at, tested and sent, a mail comes again and again. */
const compiled = new Map<string, ReturnType<typeof compileMail>>();
const compiledMax = 32;

function compileOnce(parts: Parameters<typeof compileMail>[0]): ReturnType<typeof compileMail> {
  const key = JSON.stringify(parts);
  const result = compiled.get(key) ?? compileMail(parts);
  compiled.delete(key);
  compiled.set(key, result);
  if (compiled.size > compiledMax) compiled.delete(compiled.keys().next().value!);
  return result;
}

/** Puts mails together from what this and other services know: snippets, the organization, what filters name. */
export class MailComposer {
  constructor(private readonly parts: { snippets: SnippetRepository; bus: ServiceBus }) {}

  /** The snippets a mail names, by id. @throws ToolError SNIPPET_NOT_FOUND for the first that there is not */
  async snippets(mail: Mail, { organizationId }: Caller): Promise<Record<string, Snippet>> {
    const references = snippetReferences(mail);
    const found = Object.fromEntries(await this.parts.snippets.listByReferences(organizationId, references));
    const names = new Set(Object.values(found).map(({ name }) => nameKey(name)));
    const missing = references.find((reference) => !Object.hasOwn(found, reference) && !names.has(nameKey(reference)));
    if (missing !== undefined) throw new ToolError('SNIPPET_NOT_FOUND', { id: missing });
    return found;
  }

  /** The organization as it is now; asked for early, it is there when the mail has been read. */
  organization(caller: Caller): Promise<{ organization: OrganizationFacts }> {
    const asked = this.parts.bus.client(domainRequests).get_organization({}, caller);
    // Whoever awaits it hears of a failure; nobody does when the mail is refused first.
    asked.catch(() => undefined);
    return asked;
  }

  /** Compiles a mail with snippets and organization as they are now. */
  async compose(
    mail: Mail,
    snippets: Record<string, Snippet>,
    caller: Caller,
    known?: Promise<{ organization: OrganizationFacts }>,
  ): Promise<ComposedMail> {
    const { organization } = await (known ?? this.organization(caller));
    const { subject, preview, content, contentType: type } = mail;
    const parts = { subject, preview, content, type, snippets, organization, footer: true };
    return { ...compileOnce(parts), organization };
  }

  /** What the conditional blocks of content name. @throws ToolError CONTENT_INVALID when a block's filters are wrong */
  async references({ content, contentType }: Mail, caller: Caller): Promise<string[]> {
    const { showIf } = contentReferences(contentType, content);
    const { check_filters } = this.parts.bus.client(subscriberRequests);
    const checked = await Promise.all(
      showIf.map((filters) =>
        check_filters({ filters: filters as Filter[] }, caller).catch((error: unknown) => {
          if (!(error instanceof RemoteFailure) || error.failure.reason !== 'FILTERS_INVALID') throw error;
          const block = pathOfShowIf(content, filters) ?? [];
          const issues = error.failure.issues ?? [{ path: [], message: error.failure.message }];
          throw contentProblem(issues.map(({ path, message }) => ({ path: [...block, ...path.slice(1)], message })));
        }),
      ),
    );
    return [...new Set(checked.flatMap(({ references }) => references))];
  }
}
