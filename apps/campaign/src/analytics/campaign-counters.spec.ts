import { expect, it } from '@jest/globals';
import { additionOf } from './campaign-counters.js';
import type { CountedEvent } from './campaign-counters.js';

const about = { campaignId: 'cmp_1', at: '2026-05-01T10:59:59.999Z', url: 'https://a.example/', bounceType: 'HARD' };
const addition = (name: CountedEvent['name'], data: object) =>
  additionOf({ id: 'evt_1', organizationId: 'org_1', name, data: { ...about, ...data } } as unknown as CountedEvent);
const key = { organizationId: 'org_1', campaignId: 'cmp_1' };
const hour = '2026-05-01T10:00:00.000Z';

it.each<[CountedEvent['name'], object, object]>([
  ['message.sent', {}, { counts: { sent: 1 } }],
  ['message.delivered', { simulated: true }, { counts: { delivered: 1 } }],
  ['message.bounced', {}, { counts: { hard: 1 } }],
  ['message.bounced', { bounceType: 'SOFT' }, { counts: { soft: 1 } }],
  ['message.complained', {}, { counts: { complained: 1 } }],
  ['subscriber.unsubscribed', {}, { counts: { unsubscribed: 1 } }],
  ['message.opened', { machine: true, first: true }, { counts: { machine_opens: 1 } }],
  ['message.opened', { machine: false, first: true }, { counts: { opens: 1, unique_opens: 1 }, hour }],
  ['message.opened', { machine: false, first: false }, { counts: { opens: 1, unique_opens: 0 }, hour }],
  [
    'message.clicked',
    { machine: false, first: false, firstOfLink: true },
    { counts: { clicks: 1, unique_clicks: 0 }, hour, link: { url: about.url, first: true } },
  ],
])('%s %j adds %j', (name, data, expected) => {
  expect(addition(name, data)).toEqual({ ...key, hour: null, link: null, ...expected });
});

it('adds nothing for clicks of machines and mail of no campaign', () => {
  expect(addition('message.clicked', { machine: true, first: true, firstOfLink: true })).toBeNull();
  expect(addition('message.sent', { campaignId: null })).toBeNull();
});
