import { describe, expect, it } from '@jest/globals';
import type { Graph } from './graph/graph.js';
import { findStartCycle } from './start-cycle.js';
import type { Starting } from './start-cycle.js';

const on = (config: object) => ({ id: 'on', type: 'TRIGGER', name: null, config });
const act = (config: object, id = 'act') => ({ id, type: 'ACTION', name: null, config });
const workflow = (id: string, steps: object[], reentry: Starting['reentry'] = 'ALWAYS'): Starting => ({
  id,
  name: id.toUpperCase(),
  reentry,
  graph: { steps, edges: [] } as unknown as Graph,
});
const onTag = (tag: string) => on({ kind: 'TAG_ADDED', tags: [tag] });
const addTag = (tag: string) => act({ kind: 'ADD_TAGS', tags: [tag] });
const ping = workflow('ping', [onTag('ping'), addTag('pong')]);

describe('a circle of workflows that start each other', () => {
  it.each<[string, Starting, Starting[], string[] | null]>([
    ['of two by tags', ping, [workflow('pong', [onTag('pong'), addTag('ping')])], ['PING', 'PONG']],
    [
      'of three by a field, a tag and a step that adds to a workflow',
      workflow('a', [onTag('a'), act({ kind: 'SET_FIELD', field: 'fld_1', value: 'x' })]),
      [
        workflow('b', [
          on({ kind: 'FIELD_UPDATED', fieldId: 'fld_1' }),
          act({ kind: 'ADD_TO_WORKFLOW', workflowId: 'c' }),
        ]),
        workflow('c', [on({ kind: 'MANUAL' }), addTag('a')]),
      ],
      ['A', 'B', 'C'],
    ],
    [
      'with itself, by a step that adds to it',
      workflow('self', [onTag('x'), act({ kind: 'ADD_TO_WORKFLOW', workflowId: 'self' })]),
      [],
      ['SELF'],
    ],
    ['with itself by a tag, which does not start it', workflow('self', [onTag('x'), addTag('x')]), [], null],
    [
      'by a trigger of any tag',
      workflow('any', [on({ kind: 'TAG_ADDED' }), addTag('x')]),
      [workflow('x', [onTag('x'), addTag('y')])],
      ['ANY', 'X'],
    ],
    [
      'that a workflow ends which takes each once',
      ping,
      [workflow('pong', [onTag('pong'), addTag('ping')], 'ONCE')],
      null,
    ],
    [
      'that the own workflow ends',
      { ...ping, reentry: 'ONCE' },
      [workflow('pong', [onTag('pong'), addTag('ping')])],
      null,
    ],
    ['that is none', ping, [workflow('pong', [onTag('pong'), addTag('other')])], null],
    ['of its own former version, which is replaced', ping, [workflow('ping', [onTag('pong'), addTag('ping')])], null],
  ])('is found: %s', (_case, own, others, cycle) => {
    expect(findStartCycle(own, others)).toEqual(cycle);
  });
});
