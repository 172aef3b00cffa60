import { subscriberWorkflowRequests } from '#contracts';
import type { WorkflowAction } from '#contracts';
import { uuidOf } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { AudienceRepository } from '../audience/audience.repository.js';
import { FieldRepository } from '../field/field.repository.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import { FilterTargetRepository } from '../filter/filter-target.repository.js';
import type { HashAddress } from '#link-token';
import { profileOf } from '../subscriber/profile.js';
import { StatusService } from '../subscriber/status.service.js';
import { SubscriberService } from '../subscriber/subscriber.service.js';
import { TagService } from '../tag/tag.service.js';
import { nameKey } from '../text/text.js';
import { EffectRepository } from './effect.repository.js';
import { PastEventsService } from './past-events.service.js';

interface Dependencies {
  engine: FilterEngine;
  hashAddress: HashAddress;
}

export function implementWorkflowRequests(context: CallContext, { engine, hashAddress }: Dependencies) {
  const { manager } = context;
  const find = async (organizationId: string, kind: 'tag' | 'field', texts: readonly string[]) => {
    const asked = { ids: texts, names: texts.map(nameKey), lock: false };
    const found = texts.length > 0 ? await new FilterTargetRepository(manager).list(organizationId, kind, asked) : [];
    return texts.map((text) => {
      const target = found.find(({ id }) => id === text) ?? found.find(({ name }) => nameKey(name) === nameKey(text));
      return target ? { id: target.id, name: target.name } : null;
    });
  };
  return implement(subscriberWorkflowRequests, {
    find_tags_and_fields: async ({ tags, fields }, { organizationId }) => ({
      tags: await find(organizationId, 'tag', tags),
      fields: await find(organizationId, 'field', fields),
    }),

    get_people: async ({ subscriberIds, conditions, fieldIds }, caller) => {
      const shows = await Promise.all(
        conditions.map((filters) => engine.condition(caller, filters, { from: 'store', path: ['filters'] })),
      );
      const asked = { subscriberIds, fieldKeys: fieldIds.map((id) => uuidOf('fld', id)) };
      return { people: await new AudienceRepository(manager).listPeople(caller.organizationId, asked, shows) };
    },

    list_past_events: (asked, caller) => new PastEventsService(manager, engine).list(asked, caller),

    apply_workflow_action: async ({ workflowId, action, subjects }, caller) => {
      const fresh = await new EffectRepository(manager).insertNew(
        caller.organizationId,
        subjects.map(({ callId }) => callId),
      );
      const people = subjects.filter(({ callId }) => fresh.has(callId)).map(({ subscriberId }) => subscriberId);
      if (people.length > 0) await applyAction(context, { workflowId, action, people, hashAddress, caller });
      return { applied: people.length };
    },
  });
}

interface Effect {
  workflowId: string;
  action: WorkflowAction;
  people: readonly string[];
  hashAddress: HashAddress;
  caller: Caller;
}

async function applyAction(
  { manager, outbox }: CallContext,
  { workflowId, action, people, hashAddress, caller }: Effect,
) {
  const { organizationId, now } = caller;
  const options = { organizationId, now, cause: { kind: 'workflow' as const, id: workflowId }, triggerWorkflows: true };
  if (action.kind === 'ADD_TAGS' || action.kind === 'REMOVE_TAGS') {
    const asked = { ids: action.tagIds, names: [], lock: true };
    const tags = await new FilterTargetRepository(manager).list(organizationId, 'tag', asked);
    const gone = action.tagIds.find((id) => !tags.some((tag) => tag.id === id));
    // No subscriber has a deleted tag, and it cannot be added any more.
    if (gone !== undefined && action.kind === 'ADD_TAGS') throw new ToolError('TAG_NOT_FOUND', { id: gone });
    const names = tags.map(({ name }) => name);
    const change =
      action.kind === 'ADD_TAGS' ? { add: [...names, ...action.names], remove: [] } : { add: [], remove: names };
    await new TagService(manager, outbox).change(people, change, options);
    return;
  }
  if (action.kind === 'UNSUBSCRIBE') {
    const by = { reason: action.reason, source: 'workflow', campaignId: null, messageId: null };
    for (const id of [...people].sort()) await new StatusService(manager, outbox).unsubscribe(id, by, options);
    return;
  }
  const field = await new FieldRepository(manager).findById(organizationId, action.fieldId);
  if (!field) throw new ToolError('FIELD_NOT_FOUND', { id: action.fieldId });
  const read = profileOf({ fields: { [field.name]: action.value } });
  if (!read.ok) throw new ToolError('FIELD_NOT_FOUND', { id: action.fieldId });
  const change = { via: 'update' as const, resubscribe: false, skipDoubleOptIn: false, doubleOptIn: true };
  const writer = new SubscriberService(manager, outbox, hashAddress);
  const saving = { ...options, source: 'workflow', replaceTags: false, wish: change };
  for (const id of [...people].sort()) await writer.update(id, { profile: read.profile, address: null }, saving);
}
