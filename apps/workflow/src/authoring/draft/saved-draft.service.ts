import type { ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { Data } from '#contracts';
import type { Sql } from '#database';
import type { Caller } from '#tool-call';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import { assertValid, readDraft } from '../../rules/draft/draft.js';
import type { Draft } from '../../rules/draft/draft.js';
import type { Workflow } from '../../rules/workflow.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { EmailRepository } from '../email/email.repository.js';
import { DraftChecker } from './draft-checker.service.js';

interface Dependencies {
  sql: Sql;
  bus: ServiceBus;
  secrets: WebhookSecrets;
}

type Organization = Data<(typeof domainRequests)['calls']['get_organization']>['organization'];

/**
 * Checks a saved draft again, since its references may have been deleted after it was saved; never inside a transaction.
 * @returns the draft with its secrets open, ids in the place of names, and the organization's time zone if it has none
 * @throws ToolError GRAPH_INVALID
 */
export async function checkSavedDraft(
  { sql, bus, secrets }: Dependencies,
  workflow: Workflow,
  caller: Caller,
): Promise<{ draft: Draft; organization: Organization }> {
  const [workflows, emails] = [new WorkflowRepository(sql), new EmailRepository(sql)];
  const owner = { organizationId: caller.organizationId, workflowId: workflow.id };
  const stored: Draft = structuredClone(workflow.draft);
  const { draft, issues } = readDraft(secrets.open(owner, stored.graph), stored);
  const checked = await new DraftChecker({ bus, workflows, emails }).check(draft, caller, { stored: true });
  assertValid([...issues, ...checked.issues], draft.graph.steps);
  const { organization } = await bus.client(domainRequests).get_organization({}, caller);
  draft.settings.timezone ??= organization.timezone;
  return { draft, organization };
}
