import { expect, it } from '@jest/globals';
import { additionOf } from './campaign-counters.js';
import type { CountedEvent } from './campaign-counters.js';

const about = { campaignId: 'cmp_1', at: '2026-05-01T10:59:59.999Z', url: 'https://a.example/', bounceType: 'HARD' };
const addition = (name: CountedEvent['name'], data: object) =>
  additionOf({
    id: 'evt_1',
    organizationId: 'org_1',
    name,
    data: { ...about, occurredAt: about.at, ...data },
  } as unknown as CountedEvent);
const key = { organizationId: 'org_1', campaignId: 'cmp_1' };

/** What an event adds to its hour, by the campaign's counters; opens of machines have no hour. */
function hourly(counts: Record<string, number>) {
  const {
    machine_opens: machine,
    hard,
    soft,
    unique_opens: uniqueOpens,
    unique_clicks: uniqueClicks,
    ...same
  } = counts;
  const renamed = { bounced: hard ?? soft, uniqueOpens, uniqueClicks };
  const named = Object.fromEntries(Object.entries(renamed).filter(([, n]) => n !== undefined));
  return machine ? null : { at: '2026-05-01T10:00:00.000Z', counts: { ...same, ...named } };
}

it.each<[CountedEvent['name'], object, object]>([
  ['message.sent', {}, { counts: { sent: 1 } }],
  [
    'messages.settled',
    {
      counts: [
        { sent: 20, delivered: 19, simulated: false },
        { sent: 2, delivered: 2, simulated: true },
      ],
    },
    { counts: { sent: 22, delivered: 21 } },
  ],
  ['message.delivered', { simulated: true }, { counts: { delivered: 1 } }],
  ['message.bounced', {}, { counts: { hard: 1 } }],
  ['message.bounced', { bounceType: 'SOFT' }, { counts: { soft: 1 } }],
  ['message.complained', {}, { counts: { complained: 1 } }],
  ['subscriber.unsubscribed', {}, { counts: { unsubscribed: 1 } }],
  ['message.opened', { machine: true, first: true }, { counts: { machine_opens: 1 } }],
  ['message.opened', { machine: false, first: true }, { counts: { opens: 1, unique_opens: 1 } }],
  ['message.opened', { machine: false, first: false }, { counts: { opens: 1, unique_opens: 0 } }],
  [
    'message.clicked',
    { machine: false, first: false, firstOfLink: true },
    { counts: { clicks: 1, unique_clicks: 0 }, link: { url: about.url, first: true } },
  ],
])('%s %j adds %j', (name, data, expected) => {
  const { counts } = expected as { counts: Record<string, number> };
  expect(addition(name, data)).toEqual({ ...key, link: null, ...expected, hour: hourly(counts) });
});

it('adds nothing for clicks of machines and mail of no campaign', () => {
  expect(addition('message.clicked', { machine: true, first: true, firstOfLink: true })).toBeNull();
  expect(addition('message.sent', { campaignId: null })).toBeNull();
});
