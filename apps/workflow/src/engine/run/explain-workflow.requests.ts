import { explainWorkflowRequests } from '#contracts';
import type { Data, ExplainedRun, ExplainedTrigger } from '#contracts';
import { implement } from '#tool-call';
import type { CompiledVersion } from '../../rules/compiled-version.js';
import { startsAnHourMax } from '../../rules/enrolment.js';
import { isOpen } from '../../rules/run.js';
import type { ListedRun } from '../../rules/run.js';
import { EnrolmentRepository } from '../store/enrolment.repository.js';
import { RunRepository } from '../store/run.repository.js';
import { VersionRepository } from '../store/version.repository.js';
import { WorkflowRepository } from '../store/workflow.repository.js';
import type { RunDependencies } from './run-context.service.js';
import { shownStep } from './run-result.js';

type Answer = Data<(typeof explainWorkflowRequests)['calls']['find_workflow_run']>;

export const implementExplainWorkflow = ({
  context: { manager },
  versions,
}: Pick<RunDependencies, 'context' | 'versions'>) =>
  implement(explainWorkflowRequests, {
    find_workflow_run: async ({ workflowId, subscriberId }, { organizationId }): Promise<Answer> => {
      const { workflow } = await new WorkflowRepository(manager).get(organizationId, workflowId);
      const { name, status, pausedReason, publishedVersion: version } = workflow;
      const enrolments = new EnrolmentRepository(manager);
      const pair = [{ workflowId, subscriberId }];
      const [before, starts, group, listed] = await Promise.all([
        enrolments.listEnrolled(organizationId, pair),
        enrolments.countStarts(organizationId, pair),
        enrolments.findGroup(organizationId, { workflowId, subscriberId }),
        new RunRepository(manager).list(organizationId, { subscriberId, workflowId }),
      ]);
      const live = version === null ? null : await versions.get(manager, organizationId, { workflowId, version });
      const published =
        version === null
          ? null
          : await new VersionRepository(manager).findPublishedAt(organizationId, { workflowId, version });
      const latest = listed[0];
      return {
        name,
        status,
        pausedReason,
        version,
        publishedAt: published?.toISOString() ?? null,
        reentry: live?.draft.settings.reentry ?? null,
        triggers: live?.triggers.map(triggerOf) ?? [],
        enrolledBefore: before.size > 0,
        underWay: listed.some(({ run }) => isOpen(run.state)),
        startsLastHour: [...starts.values()][0] ?? 0,
        startsAnHourMax,
        group,
        run: latest ? runOf(latest, await versions.get(manager, organizationId, latest.run)) : null,
      };
    },
  });

function triggerOf({ id, config }: CompiledVersion['triggers'][number]): ExplainedTrigger {
  const { kind } = config;
  const own = config.eventType ?? kind;
  return {
    stepId: id,
    kind,
    eventTypes: kind === 'MANUAL' || kind === 'DATE_FIELD' ? [] : [own],
    tags: config.tags ?? null,
    campaignId: config.campaignId ?? null,
    fieldId: config.fieldId ?? null,
    filters: config.filters ?? [],
  };
}

function runOf({ run, nextActionAt, finishedAt, reason, lines }: ListedRun, version: CompiledVersion): ExplainedRun {
  return {
    id: run.id,
    version: run.version,
    state: run.state,
    step: shownStep(version, run.stepId),
    startedAt: run.startedAt.toISOString(),
    nextActionAt: nextActionAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    reason,
    mails: lines
      .filter(({ stepId, outcome }) => version.is(stepId, 'EMAIL') && ['SENT', 'SKIPPED'].includes(outcome))
      .map(({ stepId, at, outcome, data }) => ({
        stepId,
        at,
        outcome,
        reason: typeof data.reason === 'string' ? data.reason : null,
      })),
  };
}
