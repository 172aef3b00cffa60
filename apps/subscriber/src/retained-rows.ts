import type { RetainedRows } from '#database';

/**
 * SQL: campaigns of organization `$1` that sent nothing since `$2`. Ids are in the order of time, so that only campaigns
 * made before are read.
 */
const oldCampaigns = `
  with recursive made(id) as (
    (select campaign_id from subscriber_campaign where organization_id = $1 and campaign_id < uuid_floor($2)
     order by campaign_id limit 1)
    union all
    select (select c.campaign_id from subscriber_campaign c where c.organization_id = $1 and c.campaign_id > made.id
      and c.campaign_id < uuid_floor($2) order by c.campaign_id limit 1) from made where made.id is not null)
  select id from made where id is not null and not exists (
    select from subscriber_campaign c where c.organization_id = $1 and c.campaign_id = made.id and c.sent_at >= $2)`;

/** SQL: sends with messages by position of organization `$1` that sent nothing since `$2`. */
const oldSends = `select campaign_id, campaign_no from campaign_ref where organization_id = $1 and last_at < $2`;

/** What subscriber deletes when it is old: one line for each table. */
export const retainedRows: readonly RetainedRows[] = [
  {
    data: 'campaignActivity',
    table: 'subscriber_campaign',
    key: 'organization_id, campaign_id, subscriber_id',
    // Filters refuse a campaign from the moment at which its rows may be missing.
    prepare: `insert into expired_campaign (organization_id, campaign_id) select $1, id from (${oldCampaigns}) c on conflict do nothing`,
    expired: `organization_id = $1 and campaign_id in (select e.campaign_id from expired_campaign e where e.organization_id = $1)
      and $2::timestamptz is not null`,
    counted: `organization_id = $1 and campaign_id in (${oldCampaigns})`,
  },
  {
    data: 'campaignActivity',
    table: 'campaign_recipient',
    key: 'campaign_no, subscriber_id',
    prepare: `insert into expired_campaign (organization_id, campaign_id) select $1, campaign_id from (${oldSends}) s on conflict do nothing`,
    expired: `campaign_no in (
      select r.campaign_no from campaign_ref r join expired_campaign e using (organization_id, campaign_id) where r.organization_id = $1)
      and $2::timestamptz is not null`,
    counted: `campaign_no in (select campaign_no from (${oldSends}) s)`,
  },
  {
    data: 'subscriberEvents',
    table: 'subscriber_event',
    key: 'created_at, organization_id, event_id',
    expired: 'organization_id = $1 and created_at < $2',
    dropped: true,
  },
];
