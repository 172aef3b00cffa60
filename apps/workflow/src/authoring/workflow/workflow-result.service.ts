import { TallyRepository, uuidOf } from '#database';
import type { Sql } from '#database';
import { differenceOf } from '../../rules/draft/draft.js';
import type { Draft } from '../../rules/draft/draft.js';
import type { OwnedEmail } from '../../rules/email.js';
import { EmailRepository } from '../email/email.repository.js';
import { EnrolmentJobRepository } from '../../engine/store/enrolment-job.repository.js';
import type { Graph } from '../../rules/graph/graph.js';
import { hideSecrets } from '../../secret/webhook-secrets.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { metricOf, statisticsOf } from '../../rules/step-counters.js';
import { shownEmail, summaryOf } from '../../rules/workflow.js';
import type { Workflow } from '../../rules/workflow.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';

/**
 * Returns the steps whose email was written after a version was published; the version holds the compiled former text.
 */
export const changedSince = (emails: readonly OwnedEmail[], at: Date): string[] =>
  emails.filter(({ updatedAt }) => updatedAt.getTime() > at.getTime()).map(({ stepId }) => stepId);

interface Dependencies {
  manager: Sql;
  secrets: WebhookSecrets;
}

/** @param showsSecrets true only for results that are not stored */
export async function workflowAnswer(
  { manager: sql, secrets }: Dependencies,
  organizationId: string,
  { workflow, open, showsSecrets = false }: { workflow: Workflow; open: number; showsSecrets?: boolean },
) {
  const { id, publishedVersion } = workflow;
  const found = await new WorkflowRepository(sql).findVersion(organizationId, id, publishedVersion);
  const opened = <D extends Draft>(one: D) => ({
    ...one,
    graph: secrets.open({ organizationId, workflowId: id }, one.graph),
  });
  const [draft, version] = [opened(workflow.draft), found && opened(found)];
  const shown = (graph: Graph) => (showsSecrets ? graph : hideSecrets(graph));
  const emails = await new EmailRepository(sql).listOfWorkflow(organizationId, id);
  const counts = await new TallyRepository(sql).listByKey(organizationId, metricOf(uuidOf('wf', id)!));
  const enrolments = await new EnrolmentJobRepository(sql).listOfWorkflow(organizationId, id);
  const steps = (version ?? draft).graph.steps;
  return {
    workflow: {
      ...summaryOf(workflow, open),
      draft: shown(draft.graph),
      emails: emails.map(shownEmail),
      published: version && {
        version: version.version,
        ...shown(version.graph),
        publishedAt: version.publishedAt.toISOString(),
        settings: version.settings,
        successGoals: version.successGoals,
      },
      difference: version && differenceOf(draft, version, changedSince(emails, version.publishedAt)),
      settings: draft.settings,
      successGoals: draft.successGoals,
      stats: statisticsOf(counts, steps, (version ?? draft).successGoals),
      enrolments,
    },
    workflowId: id,
  };
}
