import { snippetTools } from '#contracts';
import type { CallContext } from '#service-host';
import { assertFresh, implement, nameKey, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { MailComposer } from '../content/mail-composer.service.js';
import { snippetAnswer, snippetSummary } from './snippet.js';
import type { StoredSnippet } from './snippet.js';
import { isNameViolation, SnippetRepository } from './snippet.repository.js';

interface Dependencies {
  snippets: SnippetRepository;
  composer: MailComposer;
  transaction: CallContext['transaction'];
}

async function read(given: unknown, { composer }: Dependencies, caller: Caller) {
  const parsed = await composer.content.readSnippet(given, caller);
  await composer.references({ subject: '', preview: null, content: parsed.content, contentType: 'MAILY' }, caller);
  return parsed;
}

async function save(
  { snippets, transaction }: Dependencies,
  { organizationId }: Caller,
  name: string | undefined,
  write: (repository: SnippetRepository) => Promise<StoredSnippet>,
): Promise<StoredSnippet> {
  try {
    return await transaction(async ({ manager }) => await write(new SnippetRepository(manager)));
  } catch (error) {
    const snippetId = isNameViolation(error) ? await snippets.findId(organizationId, name!) : null;
    throw snippetId === null ? error : new ToolError('SNIPPET_NAME_TAKEN', { name: name!, snippetId });
  }
}

/** @throws ToolError SNIPPET_NAME_IN_USE when a campaign that may still go out would no longer find the snippet */
async function assertRenamable(
  snippets: SnippetRepository,
  { id, name }: StoredSnippet,
  { composer }: Dependencies,
  caller: Caller,
) {
  const naming = await snippets.listNamingInText(caller.organizationId, id);
  const users: typeof naming = [];
  for (const campaign of naming) {
    const { snippets: named } = await composer.content.references(campaign, caller);
    if (named.some((reference) => nameKey(reference) === nameKey(name))) users.push(campaign);
  }
  if (users.length > 0) {
    const names = users.slice(0, 10).map((campaign) => `the campaign "${campaign.name}" (${campaign.id})`);
    throw new ToolError('SNIPPET_NAME_IN_USE', { name, users: names });
  }
}

async function setArchived({ snippets }: Dependencies, id: string, archived: boolean, caller: Caller) {
  const { organizationId, now, ifMatch } = caller;
  assertFresh(ifMatch, (await snippets.get(organizationId, id, { lock: true })).updatedAt);
  return snippetAnswer(await snippets.updateArchived(organizationId, id, { archived }, now));
}

export const implementSnippetTools = (parts: Dependencies) =>
  implement(
    snippetTools,
    {
      get_email_snippets: async ({ includeArchived }, { organizationId }) => {
        const found = await parts.snippets.list(organizationId, { archived: includeArchived });
        return { snippets: found.map(snippetSummary), total: found.length };
      },

      get_email_snippet: async ({ id }, { organizationId }) => {
        const snippet = await parts.snippets.get(organizationId, id);
        return { ...snippetAnswer(snippet), usedBy: await parts.snippets.listUses(organizationId, snippet.id) };
      },

      create_email_snippet: async ({ name, description, content }, caller) => {
        const written = await read(content, parts, caller);
        const text = { name, description: description || null, content: written.content };
        const saved = await save(parts, caller, name, (to) => to.insert(caller.organizationId, text));
        return { ...snippetAnswer(saved), warnings: written.warnings };
      },

      update_email_snippet: async ({ id, name, description, content }, caller) => {
        const { organizationId, now } = caller;
        if (name === undefined && description === undefined && content == null) {
          throw new ToolError('NOTHING_TO_CHANGE', {});
        }
        await parts.snippets.get(organizationId, id);
        const written = content == null ? null : await read(content, parts, caller);
        const change = { name, description, content: written?.content };
        const saved = await save(parts, caller, name, async (to) => {
          const before = await to.get(organizationId, id, { lock: true });
          assertFresh(caller.ifMatch, before.updatedAt);
          if (name !== undefined && nameKey(name) !== nameKey(before.name))
            await assertRenamable(to, before, parts, caller);
          return await to.update(organizationId, before.id, change, now);
        });
        const usedBy = await parts.snippets.listUses(organizationId, saved.id);
        return { ...snippetAnswer(saved), usedBy, warnings: written?.warnings ?? [] };
      },

      archive_email_snippet: ({ id }, caller) => setArchived(parts, id, true, caller),
      unarchive_email_snippet: ({ id }, caller) => setArchived(parts, id, false, caller),
    },
    {
      archive_email_snippet: async ({ id }, { organizationId, ifMatch }) => {
        const { id: found, name, updatedAt } = await parts.snippets.get(organizationId, id);
        assertFresh(ifMatch, updatedAt);
        const { length } = await parts.snippets.listUses(organizationId, found);
        const uses = length === 1 ? '1 campaign that holds it keeps' : `${length} campaigns that hold it keep`;
        return {
          action: 'Archive the snippet',
          message: `Hides the snippet '${name}' from the list; ${length === 0 ? 'no campaign holds it' : `${uses} working`}.`,
        };
      },
    },
  );
