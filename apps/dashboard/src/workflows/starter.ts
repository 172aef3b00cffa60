import { starterText } from '../messages/en/workflows.js';
import { letterConfig } from './letter.js';
import type { FlowEdge, FlowGraph, FlowStep } from './flow-graph.js';

export const starters = ['empty', 'welcome', 'winBack', 'thanks', 'compare'] as const;
export type Starter = (typeof starters)[number];

type Text = Parameters<typeof starterText>[0];

const mail = (id: string, name: Text, subject: Text, body: Text): FlowStep => ({
  id,
  type: 'EMAIL',
  name: starterText(name),
  config: letterConfig(starterText(subject), starterText(body)),
});
const trigger = (config: Record<string, unknown>): FlowStep => ({ id: 'start', type: 'TRIGGER', config });
const edge = (source: string, target: string, branch?: string): FlowEdge => ({
  source,
  target,
  ...(branch !== undefined && { branch }),
});

const graphs: Record<Exclude<Starter, 'empty'>, () => FlowGraph> = {
  welcome: () => ({
    steps: [
      trigger({ kind: 'SUBSCRIBED' }),
      mail('welcome', 'welcome.first', 'welcome.subject', 'welcome.body'),
      { id: 'pause', type: 'WAIT', config: { amount: 3, unit: 'DAYS' } },
      mail('second', 'welcome.second', 'welcome.subject2', 'welcome.body2'),
    ],
    edges: [edge('start', 'welcome'), edge('welcome', 'pause'), edge('pause', 'second')],
  }),
  winBack: () => ({
    steps: [
      trigger({ kind: 'MANUAL' }),
      mail('first', 'winBack.first', 'winBack.subject', 'winBack.body'),
      {
        id: 'answer',
        type: 'WAIT_UNTIL',
        name: starterText('winBack.wait'),
        config: { event: { kind: 'EMAIL_CLICKED' }, timeout: 604_800 },
      },
      {
        id: 'returned',
        type: 'ACTION',
        name: starterText('winBack.tag'),
        config: { kind: 'ADD_TAGS', tags: [starterText('winBack.tag').toLowerCase()] },
      },
      mail('last', 'winBack.last', 'winBack.subject2', 'winBack.body2'),
    ],
    edges: [
      edge('start', 'first'),
      edge('first', 'answer'),
      edge('answer', 'returned', 'MATCHED'),
      edge('answer', 'last', 'TIMEOUT'),
    ],
  }),
  thanks: () => ({
    steps: [
      trigger({ kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' }),
      { id: 'pause', type: 'WAIT', config: { amount: 1, unit: 'HOURS' } },
      mail('thanks', 'thanks.mail', 'thanks.subject', 'thanks.body'),
    ],
    edges: [edge('start', 'pause'), edge('pause', 'thanks')],
  }),
  compare: () => ({
    steps: [
      trigger({ kind: 'SUBSCRIBED' }),
      {
        id: 'halves',
        type: 'SPLIT',
        name: starterText('compare.split'),
        config: { branches: ['A', 'B'].map((name) => ({ name, weight: 1 })) },
      },
      mail('a', 'compare.one', 'compare.subject', 'compare.body'),
      mail('b', 'compare.other', 'compare.subject2', 'compare.body2'),
    ],
    edges: [edge('start', 'halves'), edge('halves', 'a', 'A'), edge('halves', 'b', 'B')],
  }),
};

/** The graph of a draft to start from; null for an empty one. */
export const starterGraph = (starter: Starter): FlowGraph | null => (starter === 'empty' ? null : graphs[starter]());
