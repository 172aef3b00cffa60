import { z } from 'zod';
import type { ConditionScope, FilterOperator, FilterType, Leaf } from '../filter/filter.js';

const dayMs = 86_400_000;

/** SQL: a condition on one campaign and one subscriber; `since` adds that it happened in the window. */
type Fact = (since: string | null) => string;

const within = (column: string, since: string | null) => (since ? `${column} >= ${since}` : `${column} is not null`);
/** SQL: a refused message may be sent again, and a sent one may bounce later; the later of the two counts. */
const arrivedLast = 'c.bounced_at < c.sent_at';
/** SQL: a subscriber whose message bounced did not receive it. */
const received: Fact = (since) => `${within('c.sent_at', since)} and (c.bounced_at is null or ${arrivedLast})`;
const opened: Fact = (since) => within('c.last_opened_at', since);
const clicked: Fact = (since) => within('c.last_clicked_at', since);
const bounced: Fact = (since) => `${within('c.bounced_at', since)} and (${arrivedLast}) is not true`;

function start({ params }: Leaf, scope: ConditionScope): string | null {
  if (params.inLastDays === undefined) return null;
  const at = new Date(scope.now.getTime() - Number(params.inLastDays) * dayMs);
  return scope.bind(at.toISOString(), 'timestamptz');
}

/** SQL: the condition is true for the named campaign, or for any. */
function holds(fact: Fact, leaf: Leaf, scope: ConditionScope): string {
  const named = leaf.targets.map(({ key }) => `and c.campaign_id = ${scope.bind(key, 'uuid')}`);
  const where = `${scope.isTheirs('c')} ${named.join('')} and ${fact(start(leaf, scope))}`;
  // Sends whose messages have ids by position, and older ones; a send is in one of them.
  return `(exists (select from subscriber_campaign c where ${where}) or exists (select from recipient_campaign c where ${where}))`;
}

/** SQL: whether a subscriber clicked one link; only the history records links. */
function clickedLink(leaf: Leaf, scope: ConditionScope): string {
  const since = start(leaf, scope);
  const [campaign] = leaf.targets;
  return `exists (select from subscriber_event e where ${scope.isTheirs('e')} and e.type = 'EMAIL_CLICKED'
    and e.campaign_id ${campaign ? `= ${scope.bind(campaign.key, 'uuid')}` : 'is not null'}
    and e.data ->> 'url' = ${scope.bind(leaf.params.url, 'text')} and (e.data ->> 'machine') is distinct from 'true'
    ${since ? `and e.created_at >= ${since}` : ''})`;
}

const asks = (
  operator: string,
  condition: FilterOperator['condition'],
  params: z.ZodRawShape = {},
): FilterOperator => ({ operator, params, example: {}, condition });

export const campaignFilters: FilterType = {
  type: 'CAMPAIGN',
  params: {
    campaignId: z.string().max(320).optional(),
    campaignName: z.string().max(320).optional(),
    any: z.boolean().optional().describe('true: any campaign, instead of campaignId or campaignName'),
    inLastDays: z.int().min(1).max(3650).optional(),
  },
  targets: { kind: 'campaign', ids: 'campaignId', names: 'campaignName', many: false, any: 'any' },
  fields: [
    {
      field: 'campaign',
      label: 'Campaign',
      operators: [
        asks('RECEIVED', (...of) => holds(received, ...of)),
        asks('NOT_RECEIVED', (...of) => `not ${holds(received, ...of)}`),
        asks('OPENED', (...of) => holds(opened, ...of)),
        asks('NOT_OPENED', (...of) => `(${holds(received, ...of)} and not ${holds(opened, ...of)})`),
        asks(
          'CLICKED',
          (leaf, scope) => (leaf.params.url === undefined ? holds(clicked, leaf, scope) : clickedLink(leaf, scope)),
          { url: z.string().min(1).max(2000).optional().describe('A link of the campaign, as its content has it') },
        ),
        asks('NOT_CLICKED', (...of) => `(${holds(received, ...of)} and not ${holds(clicked, ...of)})`),
        asks('BOUNCED', (...of) => holds(bounced, ...of)),
      ],
    },
  ],
};
