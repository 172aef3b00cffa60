import { describe, expect, it } from '@jest/globals';
import { readGraph } from './read-graph.js';

const step = (id: string, type: string, config: object = {}) => ({ id, type, config });
const start = step('start', 'TRIGGER', { kind: 'SUBSCRIBED' });
const edges = (...ways: string[]) =>
  ways.map((way) => {
    const [, source, target, branch] = /^(.+)>([^:]+)(?::(.+))?$/.exec(way)!;
    return { source: source!, target: target!, ...(branch && { branch }) };
  });
const reported = (steps: Record<string, unknown>[], ...ways: string[]) =>
  readGraph({ steps, edges: edges(...ways) }).issues.map(({ path, message }) => `${path.join('.')} ${message}`);
const day = (id: string) => step(id, 'WAIT', { amount: 1, unit: 'DAYS' });
const filters = [{ type: 'STRING', field: 'email', operator: 'IS_NOT_EMPTY' }];

describe('readGraph', () => {
  it('accepts a graph of every type, in any case, and reads it to its words', () => {
    const steps = [
      start,
      step('c', 'condition', { filters }),
      step('s', 'SPLIT', {
        branches: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 0 },
        ],
      }),
      step('u', 'WAIT_UNTIL', { event: { kind: 'tag_added' }, timeout: 60 }),
      day('w'),
      step('a', 'ACTION', { kind: 'webhook', url: 'https://example.com/hook' }),
      step('g', 'GOAL', { filters }),
      step('m', 'MOVE_TO_STEP', { stepId: 'w' }),
      step('e', 'EXIT', { reason: 'over' }),
    ];
    const ways = ['start>c', 'c>s:true', 'c>u:FALSE', 's>w:a', 's>e:b', 'u>a', 'u>g:timeout', 'w>e', 'a>e', 'g>m'];
    const { issues, graph } = readGraph({ steps, edges: edges(...ways) });
    expect(issues).toEqual([]);
    expect(graph.steps[3]).toMatchObject({ type: 'WAIT_UNTIL', config: { event: { kind: 'TAG_ADDED' } } });
    expect(graph.edges.map(({ branch }) => branch)).toEqual([
      undefined,
      'TRUE',
      'FALSE',
      'a',
      'b',
      'MATCHED',
      'TIMEOUT',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['no step', [], [], /no step/],
    ['a bad id', [{ ...start, id: 'ö' }], [], /steps.0.id .*1 to 64 letters/],
    ['an unknown type', [step('x', 'DANCE')], [], /unknown type/],
    [
      'an unknown word in config',
      [step('start', 'TRIGGER', { kind: 'SUBSCRIBED', tag: 'x' })],
      [],
      /steps.0.config.tag .*unknown parameter; did you mean tags\?/,
    ],
    [
      'an unknown kind of ACTION',
      [step('a', 'ACTION', { kind: 'ADD_TAG', tags: ['x'] })],
      [],
      /steps.0.config.kind .*must be one of ADD_TAGS, REMOVE_TAGS, SET_FIELD, .*WEBHOOK/,
    ],
    ['an ACTION without a kind', [step('a', 'ACTION')], [], /config.kind .*is required: one of ADD_TAGS, REMOVE_TAGS/],
    [
      'an unknown word of one kind of ACTION',
      [step('a', 'ACTION', { kind: 'add_tags', tags: ['x'], url: 'y' })],
      [],
      /config.url .*unknown parameter \(known: kind, tags\)/,
    ],
    ['a missing list', [step('c', 'CONDITION')], [], /config.filters .*is required/],
    [
      'a text for a number',
      [step('w', 'WAIT', { duration: '60' })],
      [],
      /config.duration .*must be a number, not a string/,
    ],
    [
      'an unknown unit',
      [step('w', 'WAIT', { amount: 1, unit: 'DAY' })],
      [],
      /config.unit .*must be one of MINUTES, HOURS, DAYS, WEEKS, not "DAY"/,
    ],
    ['an edge to nowhere', [start], ['start>x'], /edges.0.target .*no step/],
    ['an edge from nowhere', [start], ['x>start'], /edges.0.source .*no step/],
    [
      'an unknown branch',
      [start, step('c', 'CONDITION', { filters }), day('w')],
      ['start>c', 'c>w:MAYBE'],
      /unknown branch "MAYBE"/,
    ],
    ['a missing branch', [start, step('c', 'CONDITION', { filters }), day('w')], ['start>c', 'c>w'], /missing branch/],
    ['a branch where there is none', [start, day('w')], ['start>w:YES'], /unknown branch "YES"/],
    [
      'no way out of a CONDITION',
      [start, step('c', 'CONDITION', { filters })],
      ['start>c'],
      /missing branch: none of TRUE, FALSE/,
    ],
    ['two ways by one branch', [start, day('a'), day('b')], ['start>a', 'start>b'], /two edges leave/],
    ['an unreachable step', [start, day('a'), day('b')], ['start>a'], /steps.2 .*unreachable/],
    ['a way to a TRIGGER', [start, day('a')], ['start>a', 'a>start'], /no edge leads to a TRIGGER/],
    ['a way from an EXIT', [start, step('e', 'EXIT'), day('a')], ['start>e', 'e>a'], /no edge leaves an EXIT/],
    [
      'a cycle with no wait',
      [start, step('c', 'CONDITION', { filters }), step('m', 'MOVE_TO_STEP', { stepId: 'c' })],
      ['start>c', 'c>m:TRUE'],
      /cycle with no WAIT/,
    ],
    ['a move to nowhere', [start, step('m', 'MOVE_TO_STEP', { stepId: 'x' })], ['start>m'], /there is no step "x"/],
    ['two ways to begin', [day('a'), day('b')], [], /exactly one step/],
    ['a wait over a year', [start, step('w', 'WAIT', { duration: 31_536_001 })], ['start>w'], /more than one year/],
    ['a wait of two forms', [start, step('w', 'WAIT', { duration: 1, timeOfDay: '09:00' })], ['start>w'], /one form/],
    ['half a wait', [start, step('w', 'WAIT', { amount: 1 })], ['start>w'], /amount and unit together/],
    [
      'a WAIT_UNTIL for nothing',
      [start, step('u', 'WAIT_UNTIL', { timeout: 5 })],
      ['start>u'],
      /either event or filters/,
    ],
    [
      'a SPLIT of no weight',
      [start, step('s', 'SPLIT', { branches: [{ name: 'a', weight: 0 }] })],
      ['start>s'],
      /weight above 0/,
    ],
    [
      'an address that is none',
      [start, step('a', 'ACTION', { kind: 'WEBHOOK', url: 'ftp://x' })],
      ['start>a'],
      /http or https/,
    ],
    [
      'a field that is missing',
      [step('start', 'TRIGGER', { kind: 'DATE_FIELD' })],
      [],
      /fieldId .*is required for DATE_FIELD/,
    ],
    [
      'tags of a kind that has none',
      [step('start', 'TRIGGER', { kind: 'SUBSCRIBED', tags: ['vip'] })],
      [],
      /tags .*only for TAG_ADDED/,
    ],
    [
      'a day of a kind that has none',
      [step('start', 'TRIGGER', { kind: 'SUBSCRIBED', time: '09:00' })],
      [],
      /time .*only for DATE_FIELD/,
    ],
    [
      'an event that workflows never hear',
      [step('start', 'TRIGGER', { kind: 'EVENT', eventType: 'workflow_completed' })],
      [],
      /eventType .*do not hear WORKFLOW_COMPLETED/,
    ],
    [
      'weekdays of a length',
      [start, step('w', 'WAIT', { duration: 60, weekdays: [1] })],
      ['start>w'],
      /weekdays .*only for/,
    ],
    [
      'an offset of no date',
      [start, step('w', 'WAIT', { timeOfDay: '09:00', offsetDays: 1 })],
      ['start>w'],
      /offsetDays .*only for/,
    ],
    [
      'an address with a password',
      [start, step('a', 'ACTION', { kind: 'WEBHOOK', url: 'https://me:pass@example.com/x' })],
      ['start>a'],
      /url .*no user name or password/,
    ],
    [
      'a header that is not its own',
      [start, step('a', 'ACTION', { kind: 'WEBHOOK', url: 'https://example.com/', headers: { Host: 'x' } })],
      ['start>a'],
      /headers.Host .*is set by the program that sends the request/,
    ],
    [
      'a secret that no header can say',
      [start, step('a', 'ACTION', { kind: 'WEBHOOK', url: 'https://example.com/x@y', secret: 'ключ' })],
      ['start>a'],
      /secret .*must be ASCII/,
    ],
    ['an event without its type', [step('start', 'TRIGGER', { kind: 'EVENT' })], [], /eventType .*is required/],
  ] as const)('reports %s', (_what, steps, ways, text) => {
    expect(reported([...steps], ...ways).join('\n')).toMatch(text);
  });

  it.each([
    ...['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'Expect', 'Proxy-Authorization', 'a:b', 'a\r\nb'],
    '',
  ])('takes no header named %j for a webhook', (name) => {
    const hook = (headers: object) => step('a', 'ACTION', { kind: 'WEBHOOK', url: 'https://example.com/', headers });
    expect(reported([start, hook({ 'X-Host': 'a', Tea: 'b' })], 'start>a')).toEqual([]);
    expect(reported([start, hook({ [name]: 'x' })], 'start>a')).not.toEqual([]);
  });

  it.each(['a\r\nHost: inside', 'a\nb', 'a\0', 'caf\u00e9'])('takes no header %j for a webhook', (value) => {
    const hook = step('a', 'ACTION', { kind: 'WEBHOOK', url: 'https://example.com/', headers: { 'X-Own': value } });
    expect(reported([start, hook], 'start>a')).not.toEqual([]);
  });

  it('allows a cycle with a wait in it, and a start by hand without a trigger', () => {
    expect(reported([start, day('w'), step('m', 'MOVE_TO_STEP', { stepId: 'w' })], 'start>w', 'w>m')).toEqual([]);
    expect(reported([day('a'), day('b')], 'a>b')).toEqual([]);
  });

  it('warns of graphs that are valid but unusual', () => {
    const steps = [start, step('u', 'WAIT_UNTIL', { filters }), step('w', 'WAIT', { duration: 0 })];
    const { warnings } = readGraph({ steps, edges: edges('start>u', 'u>w') });
    expect(warnings.map(({ stepId, message }) => `${stepId} ${message}`)).toEqual([
      'u step "u" (WAIT_UNTIL): without a timeout a run may wait here for ever',
      'w step "w" (WAIT): waits for no time',
      'null The workflow has neither an EMAIL nor an ACTION: it does nothing.',
    ]);
  });
});
