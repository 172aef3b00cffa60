import type { Sql } from '#database';
import { TallyRepository, uuidOf } from '#database';
import type { Outbox } from '#events';
import { TransitionBuilder } from '../../rules/run-transition.js';
import type { CompiledVersion } from '../../rules/compiled-version.js';
import type { Run, Transition } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { newRunId, RunRepository } from '../store/run.repository.js';
import type { VersionCache } from '../run/version-cache.service.js';
import { canceled } from '../run/workflow-lifecycle.service.js';
import { PauseRequestRepository } from '../store/pause-request.repository.js';
import { metricOf } from '../../rules/step-counters.js';
import { decideEnrolment } from '../../rules/enrolment.js';
import { firstCheckAt, newRun } from '../../rules/step-decision.js';
import type { SkipReason } from '../../rules/enrolment.js';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import type { Target } from '../store/enrolment.repository.js';

export interface EnrolmentRequest {
  subscriberId: string;
  workflowId: string;
  /** Null: the version's entry step. */
  stepId: string | null;
  skip: SkipReason | null;
}
export type EnrolmentOutcome = { run: Run } | { skip: SkipReason };

/** Most subscribers decided about in one transaction: half a chunk of an audience. */
export const batchMax = 250;

interface Dependencies {
  sql: Sql;
  outbox: Outbox;
  versions: VersionCache;
}

/** Counts matches that a frozen audience leaves out, since it holds SUBSCRIBED subscribers only, as skipped. */
export async function countLeftOut(
  sql: Sql,
  { organizationId, workflowId }: { organizationId: string; workflowId: string },
  { people, now }: { people: number; now: Date },
): Promise<void> {
  const skipped = { ...skip(workflowId, 'NOT_SUBSCRIBED', now), n: people };
  await new TallyRepository(sql).insert(organizationId, [skipped]);
}

const skip = (workflowId: string, reason: SkipReason, now: Date) => ({
  metric: metricOf(uuidOf('wf', workflowId)!),
  key: `skip:${reason}`,
  day: now.toISOString().slice(0, 10),
  n: 1,
});

/** Decides re-entry, groups and their effects one request after the other, under locks of the subscribers. */
export class EnrolmentService {
  readonly #runs: RunRepository;
  readonly #enrolments: EnrolmentRepository;

  constructor(private readonly parts: Dependencies) {
    this.#runs = new RunRepository(parts.sql);
    this.#enrolments = new EnrolmentRepository(parts.sql);
  }

  /** Requires a transaction. @returns an outcome for each request, in their order */
  async enrol(organizationId: string, enrolmentRequests: readonly EnrolmentRequest[]): Promise<EnrolmentOutcome[]> {
    const people = enrolmentRequests.map(({ subscriberId }) => subscriberId);
    await this.#enrolments.lockSubscribers(organizationId, people);
    const targets = await this.#enrolments.listTargets(
      organizationId,
      enrolmentRequests.map(({ workflowId }) => workflowId),
    );
    const before = await this.#enrolments.listEnrolled(organizationId, enrolmentRequests);
    const again = enrolmentRequests.filter(({ workflowId, subscriberId }) =>
      before.has(`${workflowId} ${subscriberId}`),
    );
    const starts = await this.#enrolments.countStarts(organizationId, again);
    const open = await this.#runs.lockOpen(
      people.map(() => organizationId),
      people,
    );
    const groups = await this.#enrolments.listGroups(
      organizationId,
      open.map(({ id }) => id),
    );
    const now = await this.#runs.getNow();
    const state = new Book(organizationId, now, {
      targets,
      before,
      starts,
      open: new Map(open.map((run) => [run.id, run])),
      groups,
    });
    const outcomes: EnrolmentOutcome[] = [];
    for (const enrolmentRequest of enrolmentRequests) {
      const target = targets.get(enrolmentRequest.workflowId);
      const version =
        target?.version != null
          ? await this.parts.versions.get(this.parts.sql, organizationId, {
              workflowId: target.id,
              version: target.version,
            })
          : null;
      outcomes.push(state.decide(enrolmentRequest, target, version));
    }
    await this.#write(organizationId, state, outcomes, enrolmentRequests);
    return outcomes;
  }

  async #write(
    organizationId: string,
    { now, started, ended }: Book,
    outcomes: readonly EnrolmentOutcome[],
    enrolmentRequests: readonly EnrolmentRequest[],
  ): Promise<void> {
    const recorder = new RunTransitionRepository(this.parts, now);
    if (started.length > 0) {
      const runs = started.map(({ run }) => run);
      await this.#enrolments.insertEnrolled(organizationId, runs);
      await this.#runs.insert(
        organizationId,
        started.map(({ run, ...facts }) => ({ ...run, ...facts })),
        now,
      );
      // A run may end at once; its start must be reported before its end.
      await recorder.reportStarts(runs);
      await recorder.record(started.map(({ walk }) => walk.transition()));
    }
    if (ended.size > 0) await this.#end(organizationId, { now, ended }, recorder);
    const skips = outcomes.flatMap((outcome, place) =>
      'skip' in outcome ? skip(enrolmentRequests[place]!.workflowId, outcome.skip, now) : [],
    );
    await new TallyRepository(this.parts.sql).insert(organizationId, skips);
    const excessive = enrolmentRequests.filter((_request, place) => {
      const outcome = outcomes[place]!;
      return 'skip' in outcome && outcome.skip === 'LOOP';
    });
    await new PauseRequestRepository(this.parts.sql).insert(organizationId, excessive);
  }

  async #end(
    organizationId: string,
    { now, ended }: Pick<Book, 'now' | 'ended'>,
    recorder: RunTransitionRepository,
  ): Promise<void> {
    // Read again, since this call may have started some of them.
    const ending = await this.#runs.lockByIds([...ended.keys()].map((id) => ({ organizationId, id })));
    const transitions: Transition[] = [];
    for (const run of await this.#runs.raiseFence(ending)) {
      const version = await this.parts.versions.get(this.parts.sql, organizationId, run);
      transitions.push(canceled(run, version, now, 'GROUP_CONFLICT', { by: ended.get(run.id) }));
    }
    await recorder.record(transitions);
  }
}

interface Known {
  targets: ReadonlyMap<string, Target>;
  before: Set<string>;
  starts: Map<string, number>;
  open: Map<string, Run>;
  groups: Map<string, string>;
}

/** Decides one request after the other, each on the state that the earlier ones left. */
class Book {
  readonly started: { run: Run; groupId: string | null; walk: TransitionBuilder; checkAt: Date | null }[] = [];
  /** Runs that make room in a group, with the workflow that replaces them. */
  readonly ended = new Map<string, string>();

  constructor(
    private readonly organizationId: string,
    readonly now: Date,
    private readonly known: Known,
  ) {}

  decide(
    enrolmentRequest: EnrolmentRequest,
    target: Target | undefined,
    version: CompiledVersion | null,
  ): EnrolmentOutcome {
    if (enrolmentRequest.skip) return { skip: enrolmentRequest.skip };
    if (!target || !version) return { skip: 'WORKFLOW_NOT_ACTIVE' };
    const { open, before, starts, groups } = this.known;
    const theirs = [...open.values()].filter(({ subscriberId }) => subscriberId === enrolmentRequest.subscriberId);
    const others = theirs.filter(
      (run) => run.workflowId !== target.id && target.groupId !== null && groups.get(run.id) === target.groupId,
    );
    const pair = `${target.id} ${enrolmentRequest.subscriberId}`;
    const verdict = decideEnrolment({
      status: target.status,
      reentry: version.draft.settings.reentry,
      enrolledBefore: before.has(pair),
      underWay: theirs.some(({ workflowId }) => workflowId === target.id),
      startsLastHour: starts.get(pair) ?? 0,
      group: target.strategy && { strategy: target.strategy, others: others.length > 0 },
    });
    if ('skip' in verdict) return verdict;
    const stepId = enrolmentRequest.stepId ?? version.entry;
    if (!version.has(stepId)) return { skip: 'STEP_GONE' };
    if (verdict.cancelOthers) {
      for (const run of others) {
        this.ended.set(run.id, target.id);
        open.delete(run.id);
      }
    }
    before.add(pair);
    starts.set(pair, (starts.get(pair) ?? 0) + 1);
    return {
      run: this.#start(enrolmentRequest.subscriberId, {
        target,
        version,
        stepId,
        firstStepOnly: verdict.firstStepOnly,
      }),
    };
  }

  #start(
    subscriberId: string,
    {
      target,
      version,
      stepId,
      firstStepOnly,
    }: { target: Target; version: CompiledVersion; stepId: string; firstStepOnly: boolean },
  ): Run {
    const run = newRun(
      {
        organizationId: this.organizationId,
        id: newRunId(),
        workflowId: target.id,
        version: version.version,
        subscriberId,
      },
      { stepId, firstStepOnly, startedAt: this.now },
    );
    const walk = new TransitionBuilder(run, version, this.now).start(stepId);
    const checkAt = firstCheckAt(version, this.now);
    this.started.push({ run, groupId: target.groupId, walk, checkAt });
    const { to } = walk.transition();
    if (to && (to.state === 'ACTIVE' || to.state === 'WAITING')) {
      this.known.open.set(run.id, run);
      if (target.groupId) this.known.groups.set(run.id, target.groupId);
    }
    return to ? { ...run, ...to } : run;
  }
}
