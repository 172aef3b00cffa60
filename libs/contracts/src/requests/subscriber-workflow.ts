import { z } from 'zod';
import { fieldValues, filters } from '../common.js';
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
  /** Does one thing to several people, once for each call id however often it is asked. */
  apply_workflow_action: {
    input: z.strictObject({ workflowId: z.string(), action: workflowAction, subjects: z.array(subject).max(500) }),
    output: z.object({ applied: z.int() }),
    errors: ['TAG_NOT_FOUND', 'FIELD_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'write',
  },
});
