import type { Sql } from '#database';

export interface Sent {
  text: string;
  params: unknown[];
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

export interface Work {
  /** Tables that were read from end to end. */
  scanned: string[];
  /** The most rows that any step looked at. */
  rowsMost: number;
  /** Pages of tables and indexes it touched. */
  blocks: number;
}

/** Runs repositories and records their statements. */
export class Recorder {
  readonly sent: Sent[] = [];

  constructor(private readonly sql: Sql) {}

  /** The connection for the repositories. */
  get recording(): Sql {
    const query = (text: string, params: unknown[] = []) => {
      this.sent.push({ text, params });
      return this.sql.query(text, params);
    };
    return { query };
  }

  /** The statements of some work, executed again under EXPLAIN. */
  async explain(work: (sql: Sql) => Promise<unknown>): Promise<Work> {
    this.sent.length = 0;
    await work(this.recording);
    const nodes: PlanNode[] = [];
    let blocks = 0;
    for (const { text, params } of this.sent) {
      const [answer]: { 'QUERY PLAN': { Plan: PlanNode }[] }[] = await this.sql.query(
        `explain (analyze, buffers, timing off, format json) ${text}`,
        params,
      );
      const plan = answer!['QUERY PLAN'][0]!.Plan;
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      nodes.push(...nodesOf(plan));
    }
    const looked = nodes.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
    return { scanned: scans.map((node) => node['Relation Name']!), rowsMost: Math.max(...looked), blocks };
  }
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
