import type { Quotas } from '#contracts';
import type { Sql } from '#database';
import { quotasOf } from './organization.js';
import type { Organization } from './organization.js';

/** SQL: the quotas of an organization, its own before its plan's. @param organization the table or its alias */
export const quotasSql = (organization: string): string =>
  `(select p.quotas || ${organization}.quotas from plan p where p.plan = ${organization}.plan) as quotas`;

/** SQL: a row's quotas with a change of some; null takes one away. */
export const changedQuotasSql = (change: string): string => `jsonb_strip_nulls(quotas || ${change}::jsonb)`;

export interface Plan {
  plan: Organization['plan'];
  quotas: Quotas;
}

export class PlanRepository {
  constructor(private readonly sql: Sql) {}

  async list(): Promise<Plan[]> {
    return (await this.sql.query<PlanRow[]>(`select plan, quotas from plan order by plan`)).map(planOf);
  }

  /** Changes the quotas that are named; null lifts one. @returns the plan, and whose it is */
  async update(plan: Plan['plan'], change: Partial<Quotas>): Promise<Plan> {
    const [rows]: [PlanRow[]] = await this.sql.query(
      `update plan set quotas = ${changedQuotasSql('$2')} where plan = $1 returning plan, quotas`,
      [plan, JSON.stringify(change)],
    );
    return planOf(rows[0]!);
  }
}

type PlanRow = Pick<Plan, 'plan'> & { quotas: Partial<Quotas> };
const planOf = ({ plan, quotas }: PlanRow): Plan => ({ plan, quotas: quotasOf(quotas) });
