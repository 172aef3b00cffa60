import { describe, expect, it } from '@jest/globals';
import { newSendUuid, newUuid, wireId } from '#database';
import type { SendMetrics } from '../../metrics/send-metrics.service.js';
import type { LeasedChunk } from '../chunk/chunk.js';
import type { AttemptJournal, EarlierLease } from '../journal/attempt-journal.service.js';
import type { LedgerChunkRepository } from './ledger-chunk.repository.js';
import { takeOverChunk } from './take-over-chunk.service.js';

const organizationId = wireId('org', newUuid());
const sendId = wireId('send', newSendUuid());
const page = { organizationId, sendId, pageNo: 0, fence: '2' } as LeasedChunk;
const recipients = [0, 1].map((position) => ({
  position,
  messageId: newUuid(),
  subscriberId: newUuid(),
  email: `p${position}@people.internal`,
  mailboxHash: '1',
  simulated: false,
}));
const accepted = { kind: 'replied', code: 250, response: '250 2.0.0 Ok' } as const;
const lease: EarlierLease = {
  name: 'journal',
  fence: '1',
  boot: 'boot',
  owner: 'owner',
  subjects: new Map(),
  attempts: new Map([
    [0, { relayId: 1, reply: { at: Date.now(), report: accepted } }],
    [1, { relayId: 1, reply: null }],
  ]),
};
const context = {
  send: { organizationId, sendId, campaignId: wireId('cmp', newUuid()), campaignName: 'News' },
  accepted: 'DELIVERED' as const,
};
const about = { recipients, subject: 'Hello', context, lane: 0 };

describe('the take-over of a chunk with a journal', () => {
  it('keeps the journal until its replies are recorded, and counts no more than what stays in doubt', async () => {
    const forgotten: string[] = [];
    const doubted: number[] = [];
    const settledBy: (string | undefined)[] = [];
    // The first take-over puts both in doubt, and then PostgreSQL is away.
    let isAway = true;
    const ledger = {
      takeOver: () => Promise.resolve({ settled: new Set([0, 1]), doubted: isAway ? 2 : 0 }),
      settleLate: ({ fence }: LeasedChunk, [outcome]: readonly { recipient: { messageId: string } }[]) => {
        if (isAway) return Promise.reject(new Error('away'));
        settledBy.push(fence, outcome?.recipient.messageId);
        return Promise.resolve(new Set([outcome!.recipient.messageId]));
      },
    } as unknown as LedgerChunkRepository;
    const journal = {
      earlier: () => Promise.resolve([lease]),
      forget: (leases: readonly EarlierLease[]) => void forgotten.push(...leases.map(({ name }) => name)),
    } as unknown as AttemptJournal;
    const meter = { doubted: (n: number) => void doubted.push(n) } as unknown as SendMetrics;
    const parts = { ledger, journal, meter, wakeOutbox: () => undefined };
    await expect(takeOverChunk(parts, page, about)).rejects.toThrow('away');
    expect(forgotten).toEqual([]);
    isAway = false;
    expect(await takeOverChunk(parts, page, about)).toEqual(new Set([0, 1]));
    expect(settledBy).toEqual(['1', recipients[0]!.messageId]);
    expect(forgotten).toEqual(['journal']);
    expect(doubted).toEqual([0]);
  });
});
