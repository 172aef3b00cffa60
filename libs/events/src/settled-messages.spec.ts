import { describe, expect, it } from '@jest/globals';
import { events, settledCounts } from '#contracts';
import { messageIdAt, newId, newSendUuid, uuidOf, wireId } from '#database';
import { groupSize, messageEntryId, settledData, settledMessages, settledMessageUuid } from './settled-messages.js';
import type { MessageToSettle } from './settled-messages.js';

const sendUuid = newSendUuid();
const about = { sendId: wireId('send', sendUuid), campaignId: newId('cmp'), chunk: 7, at: '2026-05-01T10:00:00.000Z' };
const message = (position: number, change: Partial<MessageToSettle> = {}): MessageToSettle => ({
  position,
  subscriberId: newId('sub'),
  outcome: 'DELIVERED',
  variant: null,
  destination: 'gmail',
  simulated: false,
  subjectValues: null,
  ...change,
});

describe('a group of settled messages', () => {
  it.each([1, 2, 3, 17, 500])('counts %i messages without reading them', (size) => {
    expect(
      groupSize(
        settledData(
          about,
          Array.from({ length: size }, (_, position) => message(position * 2)),
        ),
      ),
    ).toBe(size);
  });

  it('is read as it was written', () => {
    const messages = [
      message(499, { outcome: 'FAILED' }),
      message(3, { subjectValues: null }),
      message(0, { outcome: 'SENT' }),
      message(1),
      message(2, { destination: 'other', simulated: true }),
    ];
    const data = JSON.parse(JSON.stringify(settledData(about, messages))) as ReturnType<typeof settledData>;
    expect(events['messages.settled'].parse(data)).toEqual(data);
    expect(data).toMatchObject({
      ...about,
      positions: [
        [0, 3],
        [499, 499],
      ],
      outcome: 'DELIVERED',
      exceptions: [
        { position: 0, outcome: 'SENT' },
        { position: 499, outcome: 'FAILED' },
      ],
    });
    expect(settledMessages(data)).toEqual(
      [...messages]
        .sort((a, b) => a.position - b.position)
        .map(({ position, subscriberId, outcome }) => ({
          position,
          subscriberUuid: uuidOf('sub', subscriberId),
          outcome,
          subjectValues: null,
        })),
    );
    expect(settledMessageUuid(data, 499)).toBe(messageIdAt(sendUuid, 7, 499));
    expect(settledCounts(data)).toEqual({ sent: 4, delivered: 3 });
    expect(settledCounts(data, { simulated: false })).toEqual({ sent: 3, delivered: 2 });
  });

  it('carries the values of the variables of subjects', () => {
    const data = settledData(about, [message(1, { subjectValues: ['Bob'] }), message(0, { subjectValues: ['Ada'] })]);
    expect(settledMessages(data).map(({ subjectValues }) => subjectValues)).toEqual([['Ada'], ['Bob']]);
  });

  it('takes about 25 bytes a message', () => {
    const bytes = (count: number) =>
      JSON.stringify(
        settledData(
          about,
          Array.from({ length: count }, (_, n) => message(n)),
        ),
      ).length;
    expect((bytes(500) - bytes(100)) / 400).toBeLessThan(25);
    expect(bytes(500)).toBeLessThan(12_000);
  });

  it('is refused if it is inconsistent', () => {
    const data = settledData(about, [message(0), message(1)]);
    expect(() => settledData(about, [])).toThrow('at least one');
    expect(() => settledData(about, [message(1), message(1)])).toThrow('twice');
    expect(() => settledData(about, [message(1, { subscriberId: 'sub_1' })])).toThrow('no id of a subscriber');
    expect(() => settledMessages({ ...data, positions: [[0, 2]] })).toThrow('3 positions');
    expect(() => settledMessages({ ...data, subjectValues: [['Ada']] })).toThrow('1 subjectValues');
    expect(() => settledMessages({ ...data, sendId: newId('send') })).toThrow('no ids by position');
  });

  it('has entries of the history with ids that are sorted as they happen', () => {
    const [first, second] = [messageIdAt(sendUuid, 0, 5), messageIdAt(sendUuid, 2 ** 21 - 1, 1023)];
    const ids = [first, second].flatMap((id) => [
      messageEntryId(id, 'EMAIL_SENT'),
      messageEntryId(id, 'EMAIL_RECEIVED'),
    ]);
    expect(ids.map((id) => uuidOf('evt', id)!.slice(28))).toEqual(['00000005', '80000005', '7fffffff', 'ffffffff']);
    expect(new Set(ids).size).toBe(4);
  });
});
