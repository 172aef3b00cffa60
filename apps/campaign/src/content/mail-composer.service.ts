import type { ServiceBus } from '#bus';
import { variableGuides } from '#content';
import type { MailTemplate, Snippet, Warning } from '#content';
import { domainRequests, subscriberRequests } from '#contracts';
import type { Filter, OrganizationFacts } from '#contracts';
import { checkStoredFilters } from '#service-host';
import { closestName, nameKey, RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { SnippetRepository } from '../snippet/snippet.repository.js';
import { contentProblem, pathOfShowIf } from './content.js';
import type { Mail } from './content.js';
import type { ContentService } from './content.service.js';

export interface ComposedMail {
  template: MailTemplate;
  warnings: Warning[];
  organization: OrganizationFacts;
}

const builtIn: ReadonlyMap<string, string> = new Map(variableGuides.map(({ name }) => [nameKey(name), name]));

/** @param fields names of custom fields */
function unknown(name: string, fields: readonly string[]): Warning {
  const guess = closestName(name.replace(/^\w+\./, ''), [...fields, ...builtIn.values()]);
  const hint = guess === null ? '' : ` Did you mean {{${guess}}}?`;
  return { code: 'VARIABLE_UNKNOWN', message: `{{${name}}} is no variable, and no custom field has this name.${hint}` };
}

/** Most unknown variables reported to an author; each is compared with every field's name. */
const unknownMax = 20;

/** Composes mails from the data of this and other services: snippets, the organization, names used by filters. */
export class MailComposer {
  readonly content: ContentService;

  constructor(private readonly parts: { snippets: SnippetRepository; content: ContentService; bus: ServiceBus }) {
    this.content = parts.content;
  }

  /** Returns the snippets of a mail, by id. @throws ToolError SNIPPET_NOT_FOUND for the first unknown one */
  async snippets(mail: Mail, caller: Caller): Promise<Record<string, Snippet>> {
    const { snippets: references } = await this.content.references(mail, caller);
    const found = Object.fromEntries(await this.parts.snippets.listByReferences(caller.organizationId, references));
    const names = new Set(Object.values(found).map(({ name }) => nameKey(name)));
    const missing = references.find((reference) => !Object.hasOwn(found, reference) && !names.has(nameKey(reference)));
    if (missing !== undefined) throw new ToolError('SNIPPET_NOT_FOUND', { id: missing, by: 'id or name' });
    return found;
  }

  async compose(
    mail: Mail,
    snippets: Record<string, Snippet>,
    caller: Caller,
    known?: OrganizationFacts,
  ): Promise<ComposedMail> {
    const organization =
      known ?? (await this.parts.bus.client(domainRequests).get_organization({}, caller)).organization;
    const { subject, preview, content, contentType: type } = mail;
    const parts = { subject, preview, content, type, snippets, organization, footer: true };
    return { ...(await this.content.compile(parts, caller)), organization };
  }

  async warnings({ template, warnings }: ComposedMail, caller: Caller): Promise<Warning[]> {
    const own = template.variables.filter((name) => !builtIn.has(nameKey(name)));
    if (own.length === 0) return warnings;
    const { list_field_names } = this.parts.bus.client(subscriberRequests);
    const answer = await list_field_names({}, caller).catch((error: unknown) => {
      // A failed lookup only omits warnings.
      if (error instanceof RemoteFailure) return null;
      throw error;
    });
    if (answer === null) return warnings;
    const known = new Set([...answer.names, ...answer.formerNames].map(nameKey));
    const strange = own.filter((name) => !known.has(nameKey(name)));
    return [...warnings, ...strange.slice(0, unknownMax).map((name) => unknown(name, answer.names))];
  }

  /**
   * What the conditional blocks of content name.
   * @param stored the content was saved before: a value of a filter may fit nothing by today's rules
   */
  async references(mail: Mail, caller: Caller, { stored = false } = {}): Promise<string[]> {
    const { content } = mail;
    const { showIf } = await this.content.references(mail, caller);
    const { bus } = this.parts;
    const check = (filters: Filter[]) =>
      stored
        ? checkStoredFilters(bus, filters, caller)
        : bus.client(subscriberRequests).check_filters({ filters }, caller);
    const checked = await Promise.all(
      showIf.map((filters) =>
        check(filters as Filter[]).catch((error: unknown) => {
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
