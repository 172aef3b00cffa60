import { z } from 'zod';
import { fieldValues, filters, timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { named } from './named.js';
import { pageRecipient } from './subscriber.js';

/** One effect on a person, under the id that makes it happen once. */
const subject = z.object({ subscriberId: z.string(), callId: z.string().min(1).max(255) });

export const workflowAction = z.discriminatedUnion('kind', [
  /** Tags by id; `names` are made where they are missing. */
  z.object({ kind: z.literal('ADD_TAGS'), tagIds: z.array(z.string()), names: z.array(z.string()) }),
  z.object({ kind: z.literal('REMOVE_TAGS'), tagIds: z.array(z.string()) }),
  z.object({ kind: z.literal('SET_FIELD'), fieldId: z.string(), value: fieldValues.valueType }),
  z.object({ kind: z.literal('UNSUBSCRIBE'), reason: z.string().nullable() }),
]);
export type WorkflowAction = z.infer<typeof workflowAction>;

/** One event: milliseconds since 1970, type in upper case, and the id of its tag, field or campaign. */
const pastEvent = z.tuple([z.number(), z.string(), z.string().nullable()]);
const pastSubscriber = pageRecipient.pick({ subscriberId: true, status: true, suppressed: true }).extend({
  /** One character a condition: 1 if it is met now. */
  shows: z.string(),
  fields: z.array(z.string().nullable()),
  /** Whether a run of the workflow had started before `from`. */
  entered: z.boolean(),
  events: z.array(pastEvent),
  /** Whether there were more events than one answer may hold. */
  cut: z.boolean(),
});

export const subscriberWorkflowRequests = defineRequests('subscriber', {
  find_tags_and_fields: {
    input: z.strictObject({ tags: z.array(z.string()).max(1000), fields: z.array(z.string()).max(1000) }),
    output: z.object({ tags: z.array(named.nullable()), fields: z.array(named.nullable()) }),
    errors: [],
    transaction: 'read',
  },
  /**
   * Returns the subscribers' current data, without deleted ones; `shows`: the filter lists they match, `fields`: values
   * by field id.
   */
  get_people: {
    input: z.strictObject({
      subscriberIds: z.array(z.string()).max(500),
      conditions: z.array(filters).max(100),
      fieldIds: z.array(z.string()).max(100),
    }),
    output: z.object({
      people: z.array(
        pageRecipient
          .pick({ subscriberId: true, email: true, status: true, suppressed: true, shows: true })
          .extend({ fields: z.array(z.string().nullable()) }),
      ),
    }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'read',
  },
  /**
   * Returns the subscribers of a page whose past events or dates may have started a workflow, in the order of ids: their
   * events of then, and the facts of now that its rules need.
   */
  list_past_events: {
    input: z.strictObject({
      workflowId: z.string(),
      from: timestamp,
      to: timestamp,
      /** Event types in upper case; null: all that workflows hear. */
      types: z.array(z.string()).max(1000).nullable(),
      /** The events that start a run; `keys`: ids of the tag, field or campaign, null: any. */
      starts: z.array(z.object({ type: z.string(), keys: z.array(z.string()).nullable() })).max(500),
      /** Fields whose day starts a run, with the first and last day. */
      dates: z.array(z.object({ fieldId: z.string(), from: z.string(), to: z.string() })).max(500),
      conditions: z.array(filters).max(2000),
      fieldIds: z.array(z.string()).max(500),
      after: z.string().nullable(),
      limit: z.int().min(1).max(10_000),
    }),
    output: z.object({
      people: z.array(pastSubscriber),
      /** Subscribers of the page, with those that are left out. */
      read: z.int(),
      /** Null at the end. */
      next: z.string().nullable(),
      /** Of the organization; null except on the first page. */
      total: z.int().nullable(),
      /** Why a condition cannot be evaluated; null when it can. */
      failures: z.array(z.string().nullable()),
    }),
    errors: [],
    transaction: 'own',
  },
  /** Does one thing to several people, once for each call id however often it is asked. */
  apply_workflow_action: {
    input: z.strictObject({ workflowId: z.string(), action: workflowAction, subjects: z.array(subject).max(500) }),
    output: z.object({ applied: z.int() }),
    errors: ['TAG_NOT_FOUND', 'FIELD_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'write',
  },
});
