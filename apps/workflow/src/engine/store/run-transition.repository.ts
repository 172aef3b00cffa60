import { TallyRepository, uuidOf } from '#database';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { metricOf, openMetric } from '../../rules/step-counters.js';
import { RunRepository } from './run.repository.js';
import { isOpen } from '../../rules/run.js';
import type { Run, Transition } from '../../rules/run.js';

const aboutRun = (run: Run, workflowName: string, at: Date) => ({
  subscriberId: run.subscriberId,
  workflowId: run.workflowId,
  workflowName,
  version: run.version,
  runId: run.id,
  at: at.toISOString(),
});

export class RunTransitionRepository {
  constructor(
    private readonly parts: { sql: Sql; outbox: Outbox },
    private readonly now: Date,
  ) {}

  /** @returns the ids of the written runs; other processes claimed or ended the rest */
  async record(transitions: readonly Transition[]): Promise<Set<string>> {
    if (transitions.length === 0) return new Set();
    const { sql } = this.parts;
    const written = await new RunRepository(sql).update(transitions);
    const done = transitions.filter(({ run }) => written.has(run.id));
    await this.#count(done);
    await this.#tell(done);
    return written;
  }

  async reportStarts(runs: readonly Run[]): Promise<void> {
    const names = await this.#names(runs);
    for (const run of runs)
      this.parts.outbox.add(
        run.organizationId,
        'run.started',
        aboutRun(run, names.get(run.workflowId) ?? '', this.now),
        run.subscriberId,
      );
    await this.#tally(runs.map((run) => ({ run, counts: ['run:ENROLLED'], open: 1 })));
  }

  async #count(done: readonly Transition[]): Promise<void> {
    await this.#tally(
      done.map(({ run, to, counts }) => ({ run, counts, open: to !== null && !isOpen(to.state) ? -1 : 0 })),
    );
  }

  async #tally(changes: readonly { run: Run; counts: readonly string[]; open: number }[]): Promise<void> {
    const day = this.now.toISOString().slice(0, 10);
    for (const { run } of changes)
      this.parts.outbox.notify({ name: 'workflow.flow', id: run.workflowId, organization: run.organizationId });
    for (const organizationId of new Set(changes.map(({ run }) => run.organizationId))) {
      const theirs = changes.filter(({ run }) => run.organizationId === organizationId);
      const rows = theirs.flatMap(({ run, counts, open }) => {
        const uuid = uuidOf('wf', run.workflowId)!;
        return [
          ...counts.map((key) => ({ metric: metricOf(uuid), key, day, n: 1 })),
          { metric: openMetric, key: uuid, day, n: open },
        ];
      });
      await new TallyRepository(this.parts.sql).insert(organizationId, rows);
    }
  }

  async #tell(done: readonly Transition[]): Promise<void> {
    const hasEnded = ({ to }: Transition) => to !== null && !isOpen(to.state);
    const reported = done.filter((transition) => transition.webhook !== undefined || hasEnded(transition));
    const names = await this.#names(reported.map(({ run }) => run));
    const { outbox } = this.parts;
    for (const transition of reported) {
      const { run, to, webhook } = transition;
      const about = aboutRun(run, names.get(run.workflowId) ?? '', this.now);
      if (webhook) {
        const data = { ...about, stepId: run.stepId, ...webhook };
        outbox.add(run.organizationId, 'webhook.executed', data, run.subscriberId);
      }
      if (!hasEnded(transition)) continue;
      const reason = to!.state === 'FAILED' ? `FAILED: ${to!.reason ?? ''}` : to!.reason;
      const name = to!.state === 'COMPLETED' ? 'run.completed' : 'run.canceled';
      outbox.add(run.organizationId, name, { ...about, reason }, run.subscriberId);
    }
  }

  async #names(runs: readonly Run[]): Promise<Map<string, string>> {
    if (runs.length === 0) return new Map();
    return await new RunRepository(this.parts.sql).listNames(runs);
  }
}
