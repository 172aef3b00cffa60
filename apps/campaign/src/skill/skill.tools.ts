import type { ServiceBus } from '#bus';
import { customFieldTools, skillTools } from '#contracts';
import type { Args } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { SnippetRepository } from '../snippet/snippet.repository.js';
import { parameterProblem } from '../campaign/campaign.js';
import { skillPages } from './doc-pages.js';
import { variableList } from './variable-list.js';

export const implementSkillTools = ({ snippets, bus }: { snippets: SnippetRepository; bus: ServiceBus }) =>
  implement(skillTools, {
    get_available_variables: async (_args, caller) => {
      const { customFields } = await bus.client(customFieldTools).get_custom_fields({}, caller);
      const pieces = await snippets.list(caller.organizationId, { archived: false });
      const variables = variableList(
        customFields.map(({ name }) => name),
        pieces,
      );
      return { variables, total: variables.length };
    },

    get_skill: ({ type, page }) => Promise.resolve().then(() => skillAnswer(type, page)),
  });

type SkillType = Args<(typeof skillTools)['calls']['get_skill']>['type'];

function skillAnswer(type: SkillType, slug: string | undefined) {
  if (type === 'docs' && slug === undefined) {
    const pages = [...skillPages.values()].map(({ slug: one, title, summary }) => ({ slug: one, title, summary }));
    return { type, title: 'All pages', pages };
  }
  if (type !== 'docs' && slug !== undefined) throw parameterProblem('page', 'is for type docs only');
  const wanted = (slug ?? type).toLowerCase();
  const found = skillPages.get(wanted);
  if (!found) throw new ToolError('SKILL_PAGE_NOT_FOUND', { page: wanted, pages: [...skillPages.keys()] });
  return { type, title: found.title, markdown: found.markdown };
}
