import { z } from 'zod';
import { configs } from './step-config.js';
import type { StepType } from './graph.js';

export interface StepSchema {
  type: StepType;
  summary: string;
  /** JSON Schema, draft 2020-12. */
  config: Record<string, unknown>;
  /** Names of the outgoing edges; null: one edge without a name; empty: none. */
  branches: string[] | null;
  example: Record<string, unknown>;
}

const filters = [{ type: 'SYSTEM', field: 'system', operator: 'IS_ENGAGED' }];

const descriptions: Record<StepType, Pick<StepSchema, 'summary' | 'branches' | 'example'>> = {
  TRIGGER: {
    summary: 'Starts runs by an event, a date field, or by hand (MANUAL).',
    branches: null,
    example: { kind: 'SUBSCRIBED' },
  },
  EMAIL: {
    summary: 'Sends an email with inline content, or the email or campaign that campaignId names.',
    branches: null,
    example: { subject: 'Welcome', contentType: 'MARKDOWN', content: 'Hello {{firstName}}' },
  },
  WAIT: {
    summary: 'Waits for a duration, a time of day, or a date field.',
    branches: null,
    example: { amount: 1, unit: 'DAYS' },
  },
  WAIT_UNTIL: {
    summary: 'Waits for an event or until filters match, at most for timeout seconds.',
    branches: ['MATCHED', 'TIMEOUT'],
    example: { event: { kind: 'EMAIL_CLICKED' }, timeout: 259_200 },
  },
  CONDITION: {
    summary: 'Continues by TRUE if the subscriber matches all filters, else by FALSE.',
    branches: ['TRUE', 'FALSE'],
    example: { filters },
  },
  SPLIT: {
    summary: 'Distributes subscribers at random by weight. Its branches are those that its config names.',
    branches: ['config.branches[].name'],
    example: {
      branches: [
        { name: 'A', weight: 1 },
        { name: 'B', weight: 1 },
      ],
    },
  },
  ACTION: {
    summary: 'Changes tags, a custom field, the subscription or workflows, or calls a webhook.',
    branches: null,
    example: { kind: 'ADD_TAGS', tags: ['customer'] },
  },
  MOVE_TO_STEP: { summary: 'Continues at another step of the graph.', branches: [], example: { stepId: 'pause' } },
  GOAL: {
    summary: 'Moves a run here from any earlier step once its event happens or its filters match.',
    branches: null,
    example: { event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } },
  },
  EXIT: { summary: 'Ends the run.', branches: [], example: { reason: 'done' } },
};

export const stepSchemas: readonly StepSchema[] = (Object.keys(configs) as StepType[]).map((type) => ({
  type,
  ...descriptions[type],
  config: z.toJSONSchema(configs[type], { io: 'input', unrepresentable: 'any' }),
}));
