import { mergeValueTools } from '#contracts';
import type { subscriberRequests } from '#contracts';
import type { CallContext } from '#service-host';
import type { Caller, Handlers } from '#tool-call';
import { implement, ToolError } from '#tool-call';
import { FieldRepository } from '../field/field.repository.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import type { FilterPlan } from '../filter/filter-plan.js';
import type { CountSemaphore } from '../filter/count-semaphore.js';
import { SegmentRepository } from '../segment/segment.repository.js';
import { DeletionLockRepository } from '../subscriber/deletion-lock.repository.js';
import { fieldsNamed, isBuiltIn, withValuesOf } from './audience.js';
import { AudienceRepository } from './audience.repository.js';

type AudienceHandlers = Pick<
  Handlers<typeof subscriberRequests>,
  | 'check_filters'
  | 'list_field_names'
  | 'count_recipients'
  | 'list_segment_definitions'
  | 'freeze_audience'
  | 'get_audience_page'
  | 'release_audience'
  | 'set_custom_field_limit'
  | 'get_recipient'
>;

export interface AudienceDependencies {
  engine: FilterEngine;
  counting: CountSemaphore;
}

const warningsOf = (plan: FilterPlan) => {
  const warnings = plan.warnings();
  return warnings.length > 0 && { warnings };
};

const roomShown = ({ limit, used }: { limit: number; used: number }) => ({ limit, used });

export function audienceHandlers(
  { manager, transaction }: CallContext,
  { engine, counting }: AudienceDependencies,
): AudienceHandlers {
  const audiences = new AudienceRepository(manager);
  const conditionsOf = (showIf: readonly (readonly unknown[])[], caller: Caller) =>
    Promise.all(
      showIf.map((filters, place) => engine.condition(caller, filters, { from: 'store', path: ['showIf', place] })),
    );
  return {
    check_filters: async ({ filters, stored = false }, caller) => {
      const plan = await engine.plan(caller, filters, { from: 'caller', storedValues: stored });
      return { filters: plan.normalised(), references: plan.references(), ...warningsOf(plan) };
    },

    list_segment_definitions: ({ filters }, caller) => segmentsOf({ manager }, engine, filters, caller),

    list_field_names: (_args, { organizationId }) => new FieldRepository(manager).listNames(organizationId),

    count_recipients: async ({ filters }, caller) => {
      const plan = await engine.plan(caller, filters, { from: 'store' });
      const where = await engine.conditionOf(caller, plan);
      const count = () => audiences.countRecipients(caller.organizationId, where);
      return { total: await counting.run(caller, count), ...warningsOf(plan) };
    },

    freeze_audience: async ({ audienceId, purpose, filters }, caller) => {
      const { organizationId, now } = caller;
      const known = await audiences.find(organizationId, audienceId);
      if (known) return { audienceId, ...known };
      const where = await engine.condition(caller, filters, { from: 'store' });
      return await transaction(async (context) => {
        const frozen = new AudienceRepository(context.manager);
        const mine = await frozen.insert({ organizationId, audienceId, purpose, filters, now });
        const audience = mine
          ? await frozen.freeze(organizationId, audienceId, where)
          : (await frozen.find(organizationId, audienceId))!;
        await new DeletionLockRepository(context.manager).holdOff([organizationId]);
        await frozen.eraseFormer(organizationId, audienceId);
        return { audienceId, ...audience };
      });
    },

    get_audience_page: async ({ showIf, variables, ...page }, caller) => {
      const shows = await conditionsOf(showIf, caller);
      const fields = variables ? await namedFields(new FieldRepository(manager), variables, caller) : null;
      const recipients = await audiences.listPage(caller.organizationId, page, { shows, fields });
      return { recipients: variables ? recipients.map((one) => withValuesOf(variables, one)) : recipients };
    },

    set_custom_field_limit: async ({ limit }, { organizationId }) => {
      const fields = new FieldRepository(manager);
      await fields.updateLimit(organizationId, limit);
      return roomShown(await fields.getRoomLocked(organizationId));
    },

    release_audience: ({ audienceId }, caller) => audiences.release(caller.organizationId, audienceId).then(() => ({})),

    get_recipient: async ({ subscriberId, showIf }, caller) => {
      const shows = await conditionsOf(showIf, caller);
      const recipient = await audiences.findRecipient(caller.organizationId, subscriberId, shows);
      if (!recipient) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
      return { recipient };
    },
  };
}

async function segmentsOf(
  { manager }: Pick<CallContext, 'manager'>,
  engine: FilterEngine,
  given: readonly unknown[],
  caller: Caller,
) {
  const { found } = await engine.plan(caller, given, { from: 'store' });
  const ids = [...found.segmentNodes.keys()].sort();
  const segments = await new SegmentRepository(manager).listByIds(caller.organizationId, ids);
  return { segments: segments.map(({ id, name, filters }) => ({ id, name, filters })) };
}

/** The custom fields that variables of a mail may mean; the names are read only when a variable is not built in. */
async function namedFields(fields: FieldRepository, variables: readonly string[], { organizationId }: Caller) {
  return isBuiltIn(variables) ? new Map() : fieldsNamed(variables, await fields.listNamesByKey(organizationId));
}

export const implementMergeValueTools = (
  { manager }: Pick<CallContext, 'manager'>,
  { engine }: Pick<AudienceDependencies, 'engine'>,
) =>
  implement(mergeValueTools, {
    get_merge_values: async ({ subscriberId, showIf }, caller) => {
      const shows = await Promise.all(
        showIf.map((filters, place) => engine.condition(caller, filters, { from: 'caller', path: ['showIf', place] })),
      );
      const found = await new AudienceRepository(manager).findRecipient(caller.organizationId, subscriberId, shows);
      if (!found) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: subscriberId });
      return { subscriberId: found.subscriberId, email: found.email, values: found.values, shows: found.shows };
    },
  });
