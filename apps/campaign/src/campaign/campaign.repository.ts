import type { Filter } from '#contracts';
import { createdAtOf, jsonbText, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { containsSql, searchParameters } from '../search/search.js';
import { changes } from './campaign.js';
import type { ApprovedSend, Campaign, CampaignStatus, CampaignText } from './campaign.js';

interface Row {
  organization_id: string;
  campaign_id: string;
  name: string;
  subject: string;
  preview: string | null;
  content: Campaign['content'];
  content_type: Campaign['contentType'];
  sender_id: string | null;
  reply_to: string | null;
  filters: Filter[];
  status: CampaignStatus;
  scheduled_at: Date | null;
  timezone: string | null;
  send_id: string | null;
  audience_id: string | null;
  attempts: number;
  defects: number;
  handed_over_at: Date | null;
  waiting_for: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  failure: string | null;
  approval_id: string | null;
  approved_hash: string | null;
  approved_count: number | null;
  held_at: Date | null;
  updated_at: Date;
}
export type CampaignRow = Row;

export const campaignColumns = `c.organization_id, c.campaign_id, c.name, c.subject, c.preview, c.content, c.content_type,
  c.sender_id, c.reply_to, c.filters, c.status, c.scheduled_at, c.timezone, c.send_id, c.audience_id, c.attempts, c.defects,
  c.handed_over_at, c.waiting_for, c.started_at, c.finished_at, c.failure, c.approval_id, c.approved_hash,
  c.approved_count, c.held_at, c.updated_at`;

export const campaignOf = (row: Row): Campaign => ({
  id: wireId('cmp', row.campaign_id),
  name: row.name,
  subject: row.subject,
  preview: row.preview,
  content: row.content,
  contentType: row.content_type,
  senderId: row.sender_id && wireId('snd', row.sender_id),
  replyTo: row.reply_to,
  filters: row.filters,
  status: row.status,
  scheduledAt: row.scheduled_at,
  timezone: row.timezone,
  sendId: row.send_id && wireId('send', row.send_id),
  handedOverAt: row.handed_over_at,
  waitingFor: row.waiting_for,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  failure: row.failure,
  approved:
    row.approval_id === null
      ? null
      : { approvalId: wireId('apr', row.approval_id), hash: row.approved_hash!, count: row.approved_count! },
  heldAt: row.held_at,
  createdAt: createdAtOf(row.campaign_id),
  updatedAt: row.updated_at,
});

export interface CampaignPage {
  status?: CampaignStatus | undefined;
  query?: string | undefined;
  limit: number;
  page: number;
}

/** A campaign as it was read; `updatedAt` null: in whatever version. */
export interface CampaignVersion {
  id: string;
  updatedAt: Date | null;
}

export class CampaignRepository {
  constructor(private readonly sql: Sql) {}

  /** @throws ToolError CAMPAIGN_NOT_FOUND for an unknown, malformed or another organization's id */
  async get(organizationId: string, campaignId: string): Promise<Campaign> {
    return (await this.getWithAudience(organizationId, campaignId)).campaign;
  }

  /** Returns a campaign with the uuid of its frozen audience; null before the send and after its release. */
  async getWithAudience(
    organizationId: string,
    campaignId: string,
  ): Promise<{ campaign: Campaign; audienceId: string | null }> {
    const rows: Row[] = await this.sql.query(
      `select ${campaignColumns} from campaign c where c.organization_id = $1 and c.campaign_id = $2`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId)],
    );
    if (!rows[0]) throw new ToolError('CAMPAIGN_NOT_FOUND', { id: campaignId });
    return { campaign: campaignOf(rows[0]), audienceId: rows[0].audience_id };
  }

  /** Without a status, the page and the total exclude ARCHIVED campaigns. */
  async list(organizationId: string, asked: CampaignPage): Promise<{ campaigns: Campaign[]; total: number }> {
    const rows: (Row & { total: number; campaign_id: string | null })[] = await this.sql.query(
      `with matching as materialized (
         select campaign_id from campaign where organization_id = $1
           and case when $2::text is null then status <> 'ARCHIVED' else status = $2 end
           and ${containsSql(['name', 'subject'], '$3', '$4')})
       select ${campaignColumns}, t.total from (select count(*)::int as total from matching) t
       left join (select campaign_id from matching order by campaign_id desc limit $5 offset $6) p on true
       left join campaign c on c.organization_id = $1 and c.campaign_id = p.campaign_id order by c.campaign_id desc`,
      [
        uuidOf('org', organizationId),
        asked.status ?? null,
        ...searchParameters(asked.query),
        asked.limit,
        (asked.page - 1) * asked.limit,
      ],
    );
    return { campaigns: rows.filter((row) => row.campaign_id).map(campaignOf), total: rows[0]!.total };
  }

  /** Inserts a DRAFT, created at the time of its id; `references` are those of its conditional blocks. */
  async insert(organizationId: string, text: CampaignText, references: readonly string[]): Promise<Campaign> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `insert into campaign as c (organization_id, campaign_id, name, subject, preview, content, content_type, sender_id,
         reply_to, content_references, status, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'DRAFT', $11) returning ${campaignColumns}`,
      [uuidOf('org', organizationId), id, ...textParameters(text), references, createdAtOf(id)],
    );
    return campaignOf(rows[0]!);
  }

  /**
   * `references` null keeps those stored.
   * @returns null when the campaign is no longer a DRAFT or was changed since it was read
   */
  async updateText(
    organizationId: string,
    read: Campaign,
    { text, references }: { text: CampaignText; references: readonly string[] | null },
    now: Date,
  ): Promise<Campaign | null> {
    return await this.#change(changes.edit, organizationId, read, now, {
      assignments: textAssignments,
      values: [...textParameters(text), references],
    });
  }

  /**
   * Restores the text of a history entry without changing the status.
   * @param change `release` ends the hold of the campaign, since what it sends was approved
   * @returns null as `updateText` does
   */
  async restoreText(
    organizationId: string,
    read: Campaign,
    change: { text: CampaignText; references: readonly string[]; approved: ApprovedSend | null; release: boolean },
    now: Date,
  ): Promise<Campaign | null> {
    return await this.#change({ from: read.status, to: read.status }, organizationId, read, now, {
      assignments: [...textAssignments, ...approvedAssignments(15), ...(change.release ? released : [])],
      values: [...textParameters(change.text), change.references, ...approvedParameters(change.approved)],
    });
  }

  /** Archives or unarchives a campaign. @returns null when its status did not allow it, or it had changed, by then */
  async move(
    change: 'archive' | 'unarchive',
    organizationId: string,
    read: CampaignVersion,
    now: Date,
  ): Promise<Campaign | null> {
    return await this.#change(changes[change], organizationId, read, now);
  }

  /**
   * Copies the current campaign and its references as a new DRAFT, updated at the time of its id. @throws ToolError
   * CAMPAIGN_NOT_FOUND
   */
  async insertCopy(organizationId: string, campaignId: string, name: string): Promise<Campaign> {
    const id = newUuid();
    const rows: Row[] = await this.sql.query(
      `with copy as (
         insert into campaign as c (organization_id, campaign_id, name, subject, preview, content, content_type, sender_id, reply_to,
           filters, filter_references, content_references, status, updated_at)
         select organization_id, $3, $4, subject, preview, content, content_type, sender_id, reply_to,
           filters, filter_references, content_references, 'DRAFT', $5
         from campaign where organization_id = $1 and campaign_id = $2 returning ${campaignColumns}),
       uses as (
         insert into snippet_use (organization_id, snippet_id, campaign_id)
         select organization_id, snippet_id, $3 from snippet_use where organization_id = $1 and campaign_id = $2)
       select * from copy`,
      [uuidOf('org', organizationId), uuidOf('cmp', campaignId), id, name, createdAtOf(id)],
    );
    if (!rows[0]) throw new ToolError('CAMPAIGN_NOT_FOUND', { id: campaignId });
    return campaignOf(rows[0]);
  }

  /** Updates the normalised filters and their references. @returns null as `updateText` does */
  async updateFilters(
    organizationId: string,
    read: Campaign,
    { filters, references }: { filters: readonly Filter[]; references: readonly string[] },
    now: Date,
  ): Promise<Campaign | null> {
    return await this.#change(changes.edit, organizationId, read, now, {
      assignments: ['filters = $7', 'filter_references = $8'],
      values: [jsonbText(filters), references],
    });
  }

  /**
   * Schedules the campaign version that was read and checked; `at` null is now, by the database's clock. @returns null
   * as `updateText` does
   */
  async schedule(
    organizationId: string,
    read: Campaign,
    { at, timezone, approved }: { at: Date | null; timezone: string; approved: ApprovedSend | null },
    now: Date,
  ): Promise<Campaign | null> {
    return await this.#change({ ...changes.schedule, from: read.status }, organizationId, read, now, {
      assignments: [
        `scheduled_at = coalesce($7, date_trunc('milliseconds', clock_timestamp()))`,
        'timezone = $8',
        ...approvedAssignments(9),
        ...released,
      ],
      values: [at, timezone, ...approvedParameters(approved)],
    });
  }

  /** Cancels a schedule. @returns null when the campaign was not SCHEDULED, or not as it was read, at that moment */
  async cancelSchedule(organizationId: string, read: CampaignVersion, now: Date): Promise<Campaign | null> {
    return await this.#change(changes.cancel, organizationId, read, now, {
      assignments: [
        ...['scheduled_at = null', 'timezone = null', 'approval_id = null', 'approved_hash = null'],
        ...['approved_count = null', ...released],
      ],
    });
  }

  async #change(
    { from, to }: { from: CampaignStatus; to: CampaignStatus },
    organizationId: string,
    read: CampaignVersion,
    now: Date,
    { assignments = [], values = [] }: { assignments?: string[]; values?: unknown[] } = {},
  ): Promise<Campaign | null> {
    const set = ['status = $3', `updated_at = greatest($4, c.updated_at + interval '1 ms')`, ...assignments];
    const [rows]: [Row[], number] = await this.sql.query(
      `update campaign c set ${set.join(', ')}
       where c.organization_id = $1 and c.campaign_id = $2 and c.status = $5 and c.updated_at = coalesce($6, c.updated_at)
       returning ${campaignColumns}`,
      [uuidOf('org', organizationId), uuidOf('cmp', read.id), to, now, from, read.updatedAt, ...values],
    );
    return rows[0] ? campaignOf(rows[0]) : null;
  }
}

const textAssignments = [
  ...['name = $7', 'subject = $8', 'preview = $9', 'content = $10', 'content_type = $11', 'sender_id = $12'],
  ...['reply_to = $13', 'content_references = coalesce($14, c.content_references)'],
];

const released = ['held_at = null', 'asked_again_at = null', 'waiting_for = null'];

/** @param first number of the first of three parameters */
const approvedAssignments = (first: number) =>
  ['approval_id', 'approved_hash', 'approved_count'].map((column, place) => `${column} = $${first + place}`);

const approvedParameters = (approved: ApprovedSend | null) =>
  approved ? [uuidOf('apr', approved.approvalId), approved.hash, approved.count] : [null, null, null];

const textParameters = (text: CampaignText) => [
  text.name,
  text.subject,
  text.preview,
  jsonbText(text.content),
  text.contentType,
  uuidOf('snd', text.senderId),
  text.replyTo,
];
