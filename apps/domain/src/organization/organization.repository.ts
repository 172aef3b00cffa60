import type { Args, domainRequests, Quotas } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { ToolError } from '#tool-call';
import { organizationDefaults, quotasOf, ratePerMinuteOf } from './organization.js';
import type { Organization, OrganizationSettings } from './organization.js';
import { changedQuotasSql, quotasSql } from './plan.repository.js';

interface Row {
  organization_id: string;
  number: number;
  name: string;
  timezone: string;
  address: string | null;
  plan: Organization['plan'];
  double_opt_in: boolean;
  currency: string;
  rate_per_minute: number | null;
  track_opens: boolean;
  track_clicks: boolean;
  quotas: Partial<Quotas>;
  cell: string | null;
  send_delay_seconds: number;
  updated_at: Date;
}
const columns = `organization_id, number, name, timezone, address, plan, double_opt_in, currency, rate_per_minute,
  track_opens, track_clicks, cell, send_delay_seconds, updated_at, ${quotasSql('organization')}`;

const organizationOf = (row: Row): Organization => ({
  id: wireId('org', row.organization_id),
  number: row.number,
  name: row.name,
  timezone: row.timezone,
  address: row.address,
  plan: row.plan,
  doubleOptIn: row.double_opt_in,
  currency: row.currency,
  ratePerMinute: ratePerMinuteOf(row.plan, row.rate_per_minute),
  tracking: { opens: row.track_opens, clicks: row.track_clicks },
  quotas: quotasOf(row.quotas),
  cell: row.cell,
  sendDelaySeconds: row.send_delay_seconds,
  createdAt: createdAtOf(row.organization_id).toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

interface SettingsRow {
  approvals: OrganizationSettings['approvals'];
  approval_hours: number;
  token_days_max: number | null;
  send_delay_seconds: number;
  require_second_factor: boolean;
}

/** Columns that may change; null resets a value to the plan's. */
const columnOf = {
  name: 'name',
  timezone: 'timezone',
  address: 'address',
  plan: 'plan',
  doubleOptIn: 'double_opt_in',
  currency: 'currency',
  ratePerMinute: 'rate_per_minute',
  trackOpens: 'track_opens',
  trackClicks: 'track_clicks',
  quotas: 'quotas',
  approvals: 'approvals',
  approvalHours: 'approval_hours',
  tokenDaysMax: 'token_days_max',
  sendDelaySeconds: 'send_delay_seconds',
  requireSecondFactor: 'require_second_factor',
} as const;
/** Undefined leaves a value as it is. */
export type OrganizationChange = Omit<Args<(typeof domainRequests)['calls']['set_organization']>, 'organizationId'> & {
  [K in keyof OrganizationSettings]?: OrganizationSettings[K] | undefined;
};

const setSql = (key: keyof typeof columnOf, place: number): string =>
  key === 'quotas' ? `quotas = ${changedQuotasSql(`$${place}`)}` : `${columnOf[key]} = $${place}`;

export class OrganizationRepository {
  constructor(private readonly sql: Sql) {}

  /** Makes an organization with the defaults and the next number. */
  async insert({ name, cell }: Pick<Organization, 'name' | 'cell'>): Promise<Organization> {
    const id = newUuid();
    const { timezone, plan, currency } = organizationDefaults;
    const rows: Row[] = await this.sql.query(
      `insert into organization (organization_id, name, timezone, plan, double_opt_in, currency, cell, updated_at)
       values ($1, $2, $3, $4, false, $5, $6, $7) returning ${columns}`,
      [id, name, timezone, plan, currency, cell, createdAtOf(id)],
    );
    return organizationOf(rows[0]!);
  }

  async lock(organizationId: string): Promise<Organization> {
    await this.sql.query(`select from organization where organization_id = $1 for no key update`, [
      uuidOf('org', organizationId),
    ]);
    return await this.get(organizationId);
  }

  async get(organizationId: string): Promise<Organization> {
    const rows: Row[] = await this.sql.query(`select ${columns} from organization where organization_id = $1`, [
      uuidOf('org', organizationId),
    ]);
    return one(rows, organizationId);
  }

  async getSettings(organizationId: string): Promise<OrganizationSettings> {
    const rows: SettingsRow[] = await this.sql.query(
      `select approvals, approval_hours, token_days_max, send_delay_seconds, require_second_factor
       from organization where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    if (!rows[0]) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: organizationId });
    const { approvals, approval_hours, token_days_max, send_delay_seconds, require_second_factor } = rows[0];
    return {
      approvals,
      approvalHours: approval_hours,
      tokenDaysMax: token_days_max,
      sendDelaySeconds: send_delay_seconds,
      requireSecondFactor: require_second_factor,
    };
  }

  async list(): Promise<Organization[]> {
    const rows: Row[] = await this.sql.query(`select ${columns} from organization order by number`);
    return rows.map(organizationOf);
  }

  async update(organizationId: string, change: OrganizationChange): Promise<Organization> {
    const keys = (Object.keys(columnOf) as (keyof typeof columnOf)[]).filter((key) => change[key] !== undefined);
    if (keys.length === 0) return await this.get(organizationId);
    const [rows]: [Row[]] = await this.sql.query(
      `update organization set ${keys.map((key, i) => setSql(key, i + 2)).join(', ')},
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
       where organization_id = $1 returning ${columns}`,
      [uuidOf('org', organizationId), ...keys.map((key) => change[key])],
    );
    return one(rows, organizationId);
  }

  /**
   * Locks the creation of the first organization for the rest of the transaction.
   * @returns false when there is an organization already, also one that another process has just created
   */
  async claimFirst(): Promise<boolean> {
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('first organization', 0))`);
    const rows: { none: boolean }[] = await this.sql.query(`select not exists (select from organization) as none`);
    return rows[0]!.none;
  }
}

function one(rows: Row[], organizationId: string): Organization {
  if (!rows[0]) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: organizationId });
  return organizationOf(rows[0]);
}
