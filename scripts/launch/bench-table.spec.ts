import { expect, it } from '@jest/globals';
import { benchTable } from './bench-table.mjs';

it('lists all benches in one table, and which bars were not held', () => {
  const results = [
    {
      title: 'list_tags',
      rows: [
        { name: 'tool call', rate: 989.4, p99: 12.345 },
        { name: 'raw', rate: 1808, p99: 5 },
      ],
      ratios: [
        { name: 'throughput', value: 0.547, bar: '>= 0.5' },
        { name: 'p99', value: 3.2, bar: '<= 3' },
        { name: 'hop', value: 0.3, bar: '(no bar)' },
      ],
    },
  ];
  const benches = [
    { bench: 'tool-call', results, seconds: 90 },
    { bench: 'content', results: [], seconds: 3 },
  ];
  expect(benchTable(benches).split('\n').slice(2)).toEqual([
    '| tool-call | list_tags | tool call, rate 989, p99 12.35 | raw, rate 1808, p99 5.00 | throughput 0.55 | >= 0.5 | yes |',
    '|  |  |  |  | p99 3.20 | <= 3 | **no** |',
    '|  |  |  |  | hop 0.30 | (no bar) |  |',
    '| content | failed after 3 s |  |  |  |  |  |',
  ]);
});
