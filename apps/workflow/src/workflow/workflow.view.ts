import { TallyRepository, uuidOf } from '#database';
import type { Sql } from '#database';
import { differenceOf } from '../draft/draft.js';
import type { OwnedEmail } from '../email/email.js';
import { EmailRepository } from '../email/email.repository.js';
import { JobRepository } from '../enrolment/job.repository.js';
import { metricOf, statisticsOf } from './statistic.js';
import { shownEmail, summaryOf } from './workflow.js';
import type { Workflow } from './workflow.js';
import { WorkflowRepository } from './workflow.repository.js';

/** The steps whose emails were written since; what a version holds of them is compiled. */
const changedSince = (emails: readonly OwnedEmail[], at: Date): string[] =>
  emails.filter(({ updatedAt }) => updatedAt.getTime() > at.getTime()).map(({ stepId }) => stepId);

/** A workflow as tools answer it whole, its id beside it. */
export async function workflowAnswer(
  sql: Sql,
  organizationId: string,
  { workflow, open }: { workflow: Workflow; open: number },
) {
  const { id, draft, publishedVersion } = workflow;
  const version = await new WorkflowRepository(sql).findVersion(organizationId, id, publishedVersion);
  const emails = await new EmailRepository(sql).listOfWorkflow(organizationId, id);
  const counts = await new TallyRepository(sql).listByKey(organizationId, metricOf(uuidOf('wf', id)!));
  const enrolments = await new JobRepository(sql).listOfWorkflow(organizationId, id);
  const steps = (version ?? draft).graph.steps;
  return {
    workflow: {
      ...summaryOf(workflow, open),
      draft: draft.graph,
      emails: emails.map(shownEmail),
      published: version && {
        version: version.version,
        ...version.graph,
        publishedAt: version.publishedAt.toISOString(),
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
