import { expect, it } from '@jest/globals';
import { eventsOf } from './outbox.js';
import type { CarriedEvent } from './outbox.js';

it('takes what travels as one for events of their own, in order', () => {
  const data = { messageId: 'msg_1' };
  const sent = { id: 'evt_1', organizationId: 'org_1', name: 'message.sent', data, traceparent: '00-1' };
  const opened = { id: 'evt_3', organizationId: 'org_1', name: 'message.opened', data };
  const carried = [{ ...sent, also: [{ id: 'evt_2', name: 'message.delivered' }] }, opened];
  expect(eventsOf([{ events: carried as unknown as CarriedEvent[] }])).toEqual([
    sent,
    { ...sent, id: 'evt_2', name: 'message.delivered' },
    opened,
  ]);
});
