import type { Organization } from './organization.js';
import { timed } from './organization.js';
import { median } from '../report.js';

const rounds = 5;

/** The same count in SQL by hand: a tag, a value in a custom field, and an open in the last 30 days. */
const byHand: Record<string, string> = {
  joins: `select count(*) from subscriber s
    join subscriber_activity a using (organization_id, subscriber_id)
    join subscriber_tag t using (organization_id, subscriber_id)
    where s.organization_id = $1 and t.tag_id = $2 and s.custom ->> $3 = '42' and a.last_opened_at >= now() - interval '30 days'`,
  exists: `select count(*) from subscriber s where s.organization_id = $1 and s.custom ->> $3 = '42'
    and exists (select from subscriber_tag t where t.organization_id = $1 and t.subscriber_id = s.subscriber_id and t.tag_id = $2)
    and exists (select from subscriber_activity a where a.organization_id = $1 and a.subscriber_id = s.subscriber_id
      and a.last_opened_at >= now() - interval '30 days')`,
  'opened first': `with opened as materialized (select subscriber_id from subscriber_activity
      where organization_id = $1 and last_opened_at >= now() - interval '30 days')
    select count(*) from opened join subscriber s on s.organization_id = $1 and s.subscriber_id = opened.subscriber_id
    join subscriber_tag t on t.organization_id = $1 and t.subscriber_id = opened.subscriber_id and t.tag_id = $2
    where s.custom ->> $3 = '42'`,
};

/** The same of history: subscribers with an event EMAIL_OPENED of the last 30 days. */
const byHistory = `select count(*) from subscriber s where s.organization_id = $1 and s.custom ->> $3 = '42'
  and exists (select from subscriber_tag t where t.organization_id = $1 and t.subscriber_id = s.subscriber_id and t.tag_id = $2)
  and s.subscriber_id in (select subscriber_id from subscriber_event
    where organization_id = $1 and type = 'EMAIL_OPENED' and created_at >= now() - interval '30 days')`;

/** Milliseconds (median) of a count by three filters through the service, and of the statements written by hand. */
export async function measureCount(
  organization: Organization,
): Promise<{ name: string; ms: number; byHand: boolean }[]> {
  const { uuid, copied, sql, query } = organization;
  const params = [uuid, copied.tagUuid, copied.fieldUuid];
  const filters = [
    { type: 'TAG', operator: 'BELONGS_TO_ANY', tagNames: ['half'] },
    { type: 'FIELD', fieldName: 'number', operator: 'EQUALS', value: '42' },
    { type: 'DATE', field: 'lastOpenedAt', operator: 'IN_LAST', amount: 30, unit: 'DAYS' },
  ];
  const event = { type: 'EVENT', field: 'EMAIL_OPENED', operator: 'HAPPENED', inLastDays: 30 };
  const sides = [
    {
      name: 'count_subscribers',
      byHand: false,
      run: () => query.count_subscribers({ filters }, organization.caller()),
    },
    ...Object.entries(byHand).map(([name, text]) => ({
      name: `by hand: ${name}`,
      byHand: true,
      run: () => sql.query(text, params),
    })),
    {
      name: 'count_subscribers, by history',
      byHand: false,
      run: () => query.count_subscribers({ filters: [...filters.slice(0, 2), event] }, organization.caller()),
    },
    { name: 'by hand: by history', byHand: true, run: () => sql.query(byHistory, params) },
  ];
  const taken = sides.map(() => [] as number[]);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, { run }] of sides.entries()) {
      const ms = await timed(run);
      if (round > 0) taken[at]!.push(ms);
    }
  }
  return sides.map(({ name, byHand: hand }, at) => ({ name, byHand: hand, ms: median(taken[at]!) }));
}
