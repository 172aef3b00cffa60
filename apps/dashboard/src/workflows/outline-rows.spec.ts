import { describe, expect, it } from '@jest/globals';
import type { FlowStep } from './flow-graph.js';
import { outlineRows } from './outline-rows.js';

const step = (id: string, type = 'WAIT'): FlowStep => ({ id, type, config: {} });

describe('the rows of an outline', () => {
  it('say each step once, with its level and where each way leads', () => {
    const graph = {
      steps: [step('start', 'TRIGGER'), step('check', 'CONDITION'), step('yes'), step('join'), step('lost')],
      edges: [
        { source: 'start', target: 'check' },
        { source: 'check', target: 'yes', branch: 'TRUE' },
        { source: 'check', target: 'join', branch: 'FALSE' },
        { source: 'yes', target: 'join' },
      ],
    };
    expect(
      outlineRows(graph).map(({ kind, level, ...row }) => [
        kind,
        level,
        ('id' in row && row.id) || ('end' in row && row.end),
      ]),
    ).toEqual([
      ['step', 1, 'start'],
      ['step', 1, 'check'],
      ['arm', 2, null],
      ['step', 2, 'yes'],
      ['arm', 2, 'BELOW'],
      ['step', 1, 'join'],
      ['loose', 1, false],
      ['step', 1, 'lost'],
    ]);
  });

  it('have keys of their own in a graph of 500 steps that leads back', () => {
    const steps = [step('start', 'TRIGGER'), ...Array.from({ length: 499 }, (_, n) => step(`s${n}`, 'CONDITION'))];
    const edges = [
      { source: 'start', target: 's0' },
      ...Array.from({ length: 498 }, (_, n) => ({ source: `s${n}`, target: `s${n + 1}`, branch: 'TRUE' })),
      { source: 's498', target: 's0', branch: 'FALSE' },
    ];
    const rows = outlineRows({ steps, edges });
    expect(rows.filter(({ kind }) => kind === 'step')).toHaveLength(500);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });
});
