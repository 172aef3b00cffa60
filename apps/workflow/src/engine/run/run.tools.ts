import { workflowRunTools } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { manyHandlers } from '../enrolment/bulk-enrolment.tools.js';
import { skipReasons } from '../../rules/enrolment.js';
import { peopleOf } from '../enrolment/eligibility.client.js';
import { EnrolmentService } from '../enrolment/enrolment.service.js';
import { canceled } from './workflow-lifecycle.service.js';
import { WorkflowRepository } from '../store/workflow.repository.js';
import { expire } from '../../rules/run-transition.js';
import { enrollable } from './run-context.service.js';
import type { RunDependencies } from './run-context.service.js';
import { isOpen } from '../../rules/run.js';
import type { Run } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';
import { chooseWaiting } from './choose-waiting.js';
import { namedSubscriber, runDescriptions } from './run-descriptions.tools.js';
import { shownRun, shownStep } from './run-result.js';

export function implementRunTools(parts: RunDependencies) {
  return implement(
    workflowRunTools,
    { ...oneHandlers(parts), ...manyHandlers(parts), ...waitHandlers(parts) },
    runDescriptions(parts),
  );
}

async function show({ context: { manager }, versions }: RunDependencies, run: Run) {
  const { organizationId, subscriberId, workflowId, id: runId } = run;
  const [found] = await new RunRepository(manager).list(organizationId, { subscriberId, workflowId, runId });
  return shownRun(found!, await versions.get(manager, organizationId, found!.run));
}

type One = 'add_subscriber_to_workflow' | 'remove_subscriber_from_workflow' | 'get_subscriber_workflow_runs';

function oneHandlers(parts: RunDependencies): Pick<Handlers<typeof workflowRunTools>, One> {
  const { context, versions } = parts;
  return {
    add_subscriber_to_workflow: async ({ workflowId, stepId, ...who }, caller) => {
      const { organizationId } = caller;
      await enrollable(parts, { workflowId, stepId }, caller);
      const subscriberId = (await namedSubscriber(parts, who, caller)).id;
      const [enrolmentRequest] = await peopleOf(parts.bus, [subscriberId], caller);
      const [outcome] = await context.transaction(({ manager: sql, outbox }) =>
        new EnrolmentService({ sql, outbox, versions }).enrol(organizationId, [
          { ...enrolmentRequest!, workflowId, stepId: stepId ?? null },
        ]),
      );
      if ('skip' in outcome!) throw new ToolError('ENROLMENT_SKIPPED', { why: skipReasons[outcome.skip] });
      return { run: await show(parts, outcome!.run) };
    },

    remove_subscriber_from_workflow: async ({ workflowId, ...who }, caller) => {
      const { organizationId } = caller;
      await new WorkflowRepository(context.manager).get(organizationId, workflowId);
      const subscriberId = (await namedSubscriber(parts, who, caller)).id;
      return await context.transaction(async ({ manager: sql, outbox }) => {
        const runs = new RunRepository(sql);
        const open = await runs.lockOpen([organizationId], [subscriberId]);
        const theirs = await runs.raiseFence(open.filter((run) => run.workflowId === workflowId));
        const now = await runs.getNow();
        const transitions = [];
        for (const run of theirs)
          transitions.push(canceled(run, await versions.get(sql, organizationId, run), now, 'REMOVED'));
        await new RunTransitionRepository({ sql, outbox }, now).record(transitions);
        return { canceled: theirs.length };
      });
    },

    get_subscriber_workflow_runs: async ({ workflowId = null, ...who }, caller) => {
      const { organizationId } = caller;
      const { manager } = context;
      if (workflowId !== null) await new WorkflowRepository(manager).get(organizationId, workflowId);
      const subscriberId = (await namedSubscriber(parts, who, caller)).id;
      const listed = await new RunRepository(manager).list(organizationId, { subscriberId, workflowId });
      const runs = [];
      for (const one of listed) runs.push(shownRun(one, await versions.get(manager, organizationId, one.run)));
      return { runs };
    },
  };
}

function waitHandlers(
  parts: RunDependencies,
): Pick<Handlers<typeof workflowRunTools>, 'fast_forward_workflow_subscriber'> {
  const { context, versions } = parts;
  return {
    fast_forward_workflow_subscriber: async ({ workflowId, workflowSubscriberId, ...who }, caller) => {
      const { organizationId } = caller;
      const { workflow } = await new WorkflowRepository(context.manager).get(organizationId, workflowId);
      if (workflow.status === 'PAUSED') throw new ToolError('WORKFLOW_PAUSED', {});
      const known = new RunRepository(context.manager);
      const subscriberId =
        who.subscriberId === undefined && who.email === undefined && workflowSubscriberId !== undefined
          ? await known.findSubscriberId(organizationId, workflowId, workflowSubscriberId)
          : (await namedSubscriber(parts, who, caller)).id;
      const calledAt = await databaseInstantOf(known, caller);
      const read = subscriberId === null ? [] : await known.listOpen(organizationId, subscriberId, workflowId);
      const overtaken = async (): Promise<ToolError | null> => {
        const runs = { subscriberId: subscriberId!, workflowId, runId: workflowSubscriberId ?? null };
        return await findOvertaken(parts, organizationId, runs, calledAt);
      };
      let chosen: Run | null;
      try {
        chosen = chooseWaiting(read, workflowSubscriberId);
      } catch (error) {
        throw (await overtaken()) ?? error;
      }
      if (chosen === null || chosen.waiting!.since > calledAt) {
        const over = subscriberId === null ? null : await overtaken();
        if (over) throw over;
      }
      if (chosen === null) throw new ToolError('RUN_NOT_FOUND', { id: workflowSubscriberId! });
      const version = await versions.get(context.manager, organizationId, chosen);
      const to = await context.transaction(async ({ manager: sql, outbox }) => {
        const runs = new RunRepository(sql);
        const [locked] = await runs.lockByIds([chosen]);
        if (locked?.arrival !== chosen.arrival) return 'over' as const;
        const [run] = await runs.raiseFence([locked]);
        const now = await runs.getNow();
        const transition = expire(run!, version, { now, by: 'FAST_FORWARD' })!;
        await new RunTransitionRepository({ sql, outbox }, now).record([transition]);
        return transition.to;
      });
      if (to === 'over') throw waitOver(chosen.stepId, await show(parts, chosen));
      return {
        run: await show(parts, chosen),
        expiredStep: shownStep(version, chosen.stepId),
        nextStep: to && isOpen(to.state) ? shownStep(version, to.stepId) : null,
      };
    },
  };
}

/** Returns the instant of a call by the database's clock, in ISO 8601. */
async function databaseInstantOf(runs: RunRepository, { now }: Caller): Promise<string> {
  const ageMs = Date.now() - now.getTime();
  return new Date((await runs.getNow()).getTime() - ageMs).toISOString();
}

const waitOver = (stepId: string, { status, currentStep }: ReturnType<typeof shownRun>): ToolError =>
  new ToolError('WAIT_OVER', { stepId, status, currentStepId: currentStep.id });

/** WAIT_OVER when another fast-forward ended a wait of these runs after the call was made; null otherwise. */
async function findOvertaken(
  { context: { manager }, versions }: RunDependencies,
  organizationId: string,
  runs: Parameters<RunRepository['list']>[1],
  calledAt: string,
): Promise<ToolError | null> {
  for (const listed of await new RunRepository(manager).list(organizationId, runs)) {
    const line = listed.lines.find(({ at, data }) => data.by === 'FAST_FORWARD' && at > calledAt);
    if (line) return waitOver(line.stepId, shownRun(listed, await versions.get(manager, organizationId, listed.run)));
  }
  return null;
}
