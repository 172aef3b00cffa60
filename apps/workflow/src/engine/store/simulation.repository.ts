import { createdAtOf, jsonbText, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Draft } from '../../rules/draft/draft.js';
import { emptyTotals } from '../../rules/simulation/simulation-totals.js';
import type { StoredTotals } from '../../rules/simulation/simulation-totals.js';

/** A simulation as stored, with the draft or version that it plays. */
export interface Simulation {
  organizationId: string;
  simulationId: string;
  workflowId: string;
  /** Null: the draft. */
  version: number | null;
  /** When the simulated draft was saved. */
  draftAt: Date;
  draft: Draft;
  from: Date;
  to: Date;
  status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  failure: string | null;
  /** The last subscriber that was read; null: none. */
  after: string | null;
  read: number;
  /** Subscribers of the organization at the start; null until the first page. */
  total: number | null;
  totals: StoredTotals;
  createdAt: Date;
  finishedAt: Date | null;
}

export type NewSimulation = Pick<
  Simulation,
  'organizationId' | 'simulationId' | 'workflowId' | 'version' | 'draftAt' | 'draft' | 'from' | 'to'
>;
export type ClaimedSimulation = Simulation & { until: Date };
/** Progress of a simulation; `finished` ends it. */
export type SimulationProgress = Pick<Simulation, 'after' | 'read' | 'total' | 'totals'> & { finished: boolean };

interface Row {
  organization_id: string;
  simulation_id: string;
  workflow_id: string;
  version: number | null;
  draft_at: Date;
  draft: Draft;
  from_at: Date;
  to_at: Date;
  status: Simulation['status'];
  failure: string | null;
  after_id: string | null;
  subscribers_read: number;
  total: number | null;
  totals: StoredTotals;
  finished_at: Date | null;
}
const names = `organization_id, simulation_id, workflow_id, version, draft_at, draft, from_at, to_at, status, failure,
  after_id, subscribers_read, total, totals, finished_at`;
const columns = names.replaceAll(/\w+/g, 's.$&');

const simulationOf = (row: Row): Simulation => ({
  organizationId: wireId('org', row.organization_id),
  simulationId: wireId('sim', row.simulation_id),
  workflowId: wireId('wf', row.workflow_id),
  version: row.version,
  draftAt: row.draft_at,
  draft: row.draft,
  from: row.from_at,
  to: row.to_at,
  status: row.status,
  failure: row.failure,
  after: row.after_id && wireId('sub', row.after_id),
  read: row.subscribers_read,
  total: row.total,
  totals: row.totals,
  createdAt: createdAtOf(row.simulation_id),
  finishedAt: row.finished_at,
});

/** Simulations of an older age are deleted with their results. */
const keptDays = 7;

export class SimulationRepository {
  constructor(private readonly sql: Sql) {}

  /** Blocks other starts of the organization until the transaction ends. @returns its RUNNING simulations */
  async listRunningLocked(organizationId: string): Promise<{ simulationId: string; workflowId: string }[]> {
    const id = uuidOf('org', organizationId);
    await this.sql.query(`select pg_advisory_xact_lock(hashtextextended('simulation ' || $1, 0))`, [id]);
    const rows: { simulation_id: string; workflow_id: string }[] = await this.sql.query(
      `select simulation_id, workflow_id from simulation where organization_id = $1 and status = 'RUNNING'`,
      [id],
    );
    return rows.map((row) => ({
      simulationId: wireId('sim', row.simulation_id),
      workflowId: wireId('wf', row.workflow_id),
    }));
  }

  async insert(simulation: NewSimulation): Promise<void> {
    await this.sql.query(
      `insert into simulation (organization_id, simulation_id, workflow_id, version, draft_at, draft, from_at, to_at, status, totals)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'RUNNING', $9)`,
      [
        uuidOf('org', simulation.organizationId),
        uuidOf('sim', simulation.simulationId),
        uuidOf('wf', simulation.workflowId),
        simulation.version,
        simulation.draftAt,
        jsonbText(simulation.draft),
        simulation.from,
        simulation.to,
        JSON.stringify(emptyTotals()),
      ],
    );
  }

  async find(organizationId: string, simulationId: string): Promise<Simulation | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from simulation s where organization_id = $1 and simulation_id = $2`,
      [uuidOf('org', organizationId), uuidOf('sim', simulationId)],
    );
    return rows[0] ? simulationOf(rows[0]) : null;
  }

  async findLatest(organizationId: string, workflowId: string): Promise<Simulation | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from simulation s where organization_id = $1 and workflow_id = $2
       order by simulation_id desc limit 1`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    return rows[0] ? simulationOf(rows[0]) : null;
  }

  /** Claims the simulation with the longest wait since its last part. */
  async claim(leaseSeconds: number): Promise<ClaimedSimulation | null> {
    const [rows]: [(Row & { until: Date })[]] = await this.sql.query(
      `update simulation s set until = clock_timestamp() + make_interval(secs => $1)
       where (s.organization_id, s.simulation_id) = (
         select organization_id, simulation_id from simulation where status = 'RUNNING' and until < statement_timestamp()
         order by until, simulation_id limit 1 for update skip locked)
       returning ${columns}, s.until`,
      [leaseSeconds],
    );
    return rows[0] ? { ...simulationOf(rows[0]), until: rows[0].until } : null;
  }

  /** Saves the progress and releases the lease. @returns false when another process has claimed the simulation */
  async updateProgress(
    { organizationId, simulationId, until }: ClaimedSimulation,
    { after, read, total, totals, finished }: SimulationProgress,
  ): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update simulation set after_id = $4, subscribers_read = $5, total = $6, totals = $7, attempts = 0,
         until = date_trunc('milliseconds', statement_timestamp()),
         status = case when $8 then 'COMPLETED' else status end, finished_at = case when $8 then clock_timestamp() end
       where organization_id = $1 and simulation_id = $2 and until = $3 and status = 'RUNNING' returning 1`,
      [
        ...[uuidOf('org', organizationId), uuidOf('sim', simulationId), until],
        ...[uuidOf('sub', after), read, total, jsonbText(totals), finished],
      ],
    );
    return rows.length > 0;
  }

  /**
   * Records a failed part and delays the simulation: 2 seconds, doubled up to a minute. @returns the number of failures
   * in a row
   */
  async updateAttempts({ organizationId, simulationId, until }: ClaimedSimulation): Promise<number> {
    const [rows]: [{ attempts: number }[]] = await this.sql.query(
      `update simulation set attempts = attempts + 1,
         until = clock_timestamp() + make_interval(secs => least(60, 2 ^ least(attempts + 1, 6)))
       where organization_id = $1 and simulation_id = $2 and until = $3 returning attempts`,
      [uuidOf('org', organizationId), uuidOf('sim', simulationId), until],
    );
    return rows[0]?.attempts ?? 0;
  }

  /** @param failure reason and sentence */
  async updateFailed({ organizationId, simulationId }: Simulation, failure: string): Promise<void> {
    await this.sql.query(
      `update simulation set status = 'FAILED', failure = left($3, 500), finished_at = clock_timestamp(), until = '-infinity'
       where organization_id = $1 and simulation_id = $2 and status = 'RUNNING'`,
      [uuidOf('org', organizationId), uuidOf('sim', simulationId), failure],
    );
  }

  /** Deletes up to 100 old simulations with their results. @returns how many */
  async deleteOld(): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `delete from simulation where (organization_id, simulation_id) in (
         select organization_id, simulation_id from simulation
         where finished_at < clock_timestamp() - interval '${keptDays} days' order by finished_at limit 100)
       returning 1`,
    );
    return rows.length;
  }
}
