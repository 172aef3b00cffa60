import { workflowGroupTools } from '#contracts';
import type { Sql } from '#database';
import { assertFresh, implement, pluralize, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { nameLine, summaryOf } from '../../rules/workflow.js';
import { WorkflowRepository } from '../../engine/store/workflow.repository.js';
import type { WebhookSecrets } from '../../secret/webhook-secrets.js';
import { workflowAnswer } from '../workflow/workflow-result.service.js';
import { GroupRepository } from './group.repository.js';
import type { Group } from './group.repository.js';

const shown = (group: Group) => ({
  group: { ...group, updatedAt: group.updatedAt.toISOString() },
  groupId: group.id,
});

interface Deletion {
  groupId: string;
  expectedName: string;
  expectedUpdatedAt: string;
  unassignWorkflows: boolean;
}

interface Dependencies {
  groups: GroupRepository;
  workflows: WorkflowRepository;
}

async function deletable(
  { groups, workflows }: Dependencies,
  asked: Deletion,
  { organizationId }: Caller,
  lock: boolean,
): Promise<Group> {
  const group = await groups.get(organizationId, asked.groupId, { lock });
  if (group.name !== asked.expectedName) throw new ToolError('WORKFLOW_GROUP_NAME_DIFFERS', { name: group.name });
  assertFresh(asked.expectedUpdatedAt, group.updatedAt);
  if (group.workflowsCount > 0 && !asked.unassignWorkflows) {
    const users = await workflows.listOfGroup(organizationId, group.id);
    const named = users.map(({ workflow: { id, name } }) => `the workflow "${name}" (${id})`);
    throw new ToolError('WORKFLOW_GROUP_IN_USE', { name: group.name, users: named });
  }
  return group;
}

type Reading = Pick<Handlers<typeof workflowGroupTools>, 'list_workflow_groups' | 'get_workflow_group'>;

const readingHandlers = ({ groups, workflows }: Dependencies): Reading => ({
  list_workflow_groups: async ({ query = null, limit }, { organizationId }) => {
    const { groups: found, total } = await groups.list(organizationId, { query, limit });
    return { groups: found.map((group) => shown(group).group), total };
  },

  get_workflow_group: async ({ groupId }, { organizationId }) => {
    const group = await groups.get(organizationId, groupId);
    const members = await workflows.listOfGroup(organizationId, groupId);
    return {
      ...shown(group),
      workflows: members.map(({ workflow, open }) => summaryOf(workflow, open)),
      activeRuns: members.map(({ workflow, open }) => ({ workflowId: workflow.id, count: open })),
    };
  },
});

export function implementGroupTools({ manager, secrets }: { manager: Sql; secrets: WebhookSecrets }) {
  const parts = { groups: new GroupRepository(manager), workflows: new WorkflowRepository(manager) };
  const { groups, workflows } = parts;
  return implement(
    workflowGroupTools,
    {
      ...readingHandlers(parts),

      create_workflow_group: async (wanted, { organizationId }) => {
        const group = await groups.upsert(organizationId, { ...wanted, name: nameLine(wanted.name) });
        if (group.conflictStrategy !== wanted.conflictStrategy)
          throw new ToolError('WORKFLOW_GROUP_NAME_TAKEN', { name: group.name, groupId: group.id });
        return shown(group);
      },

      update_workflow_group: async ({ groupId, expectedUpdatedAt, ...change }, { organizationId, now }) => {
        if (change.name === undefined && change.conflictStrategy === undefined)
          throw new ToolError('NOTHING_TO_CHANGE', {});
        const group = await groups.get(organizationId, groupId, { lock: true });
        assertFresh(expectedUpdatedAt, group.updatedAt);
        const wanted = {
          id: groupId,
          name: nameLine(change.name ?? group.name),
          conflictStrategy: change.conflictStrategy ?? group.conflictStrategy,
        };
        const updated = await groups.update(organizationId, wanted, now);
        if (updated) return shown(updated);
        const other = await groups.findByName(organizationId, wanted.name);
        throw new ToolError('WORKFLOW_GROUP_NAME_TAKEN', { name: wanted.name, groupId: other?.id ?? '' });
      },

      set_workflow_group: async ({ workflowId, expectedUpdatedAt, groupId }, { organizationId, now }) => {
        // Locked, so that the group cannot be deleted before the workflow is in it.
        if (groupId !== null) await groups.get(organizationId, groupId, { lock: true });
        const { workflow: read, open } = await workflows.get(organizationId, workflowId, { lock: true });
        assertFresh(expectedUpdatedAt, read.updatedAt);
        const workflow = (await workflows.updateGroup(organizationId, read, groupId, now))!;
        return await workflowAnswer({ manager, secrets }, organizationId, { workflow, open });
      },

      delete_workflow_group: async (asked, caller) => {
        const { id } = await deletable(parts, asked, caller, true);
        await workflows.updateUngrouped(caller.organizationId, id, caller.now);
        await groups.delete(caller.organizationId, id);
        return { deleted: true as const };
      },
    },
    {
      delete_workflow_group: async (asked, caller) => {
        const { name, workflowsCount } = await deletable(parts, asked, caller, false);
        const left =
          workflowsCount > 0
            ? ` ${pluralize(workflowsCount, 'workflow')} will be in no group, and otherwise as before.`
            : '';
        return { action: 'Delete the workflow group', message: `The group "${name}" is permanently deleted.${left}` };
      },
    },
  );
}
