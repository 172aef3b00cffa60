import { describe, expect, it } from '@jest/globals';
import { parseAddress } from '#email-address';
import { until } from '#testing';
import type { RenderedHandle } from '../relay/send-thread.worker.js';
import type { RenderOutcome } from '../render/render-pool.worker.js';
import type { Person } from './chunk.js';
import { MessagePrefetcher } from './message-prefetcher.service.js';

/** A prefetcher on render threads of which the first `ends` end, each with all its work, before one stays alive. */
function maker(people: number, ends: number) {
  const said = { stuck: [] as string[], asked: 0 };
  const inHand: ((error: Error) => void)[] = [];
  const make = (recipients: readonly unknown[]): Promise<RenderOutcome[]> => {
    said.asked += 1;
    if (ends === 0) return Promise.resolve(recipients.map(() => ({ failure: 'made, as far as this spec goes' })));
    return new Promise((_resolve, reject) => {
      inHand.push(reject);
      if (inHand.length > 1) return;
      setImmediate(() => {
        ends -= 1;
        for (const one of inHand.splice(0)) one(new Error('The thread has ended'));
      });
    });
  };
  const made: Person[] = [];
  const one = new MessagePrefetcher(
    {
      make,
      made: () => one.makeAhead(people),
      isFull: () => false,
      failed: (person) => made.push(person),
      stuck: (reason) => said.stuck.push(reason),
    },
    Array.from({ length: people }, () => ({ recipient: {} }) as Person),
  );
  return { one, said, made };
}

describe('the maker of messages', () => {
  it('renders every batch again when a thread ends with many batches in hand', async () => {
    const { one, said, made } = maker(200, 2);
    one.makeAhead(200);
    await until('everybody had a turn', () => made.length === 200);
    expect(said.stuck).toEqual([]);
    expect(one.remaining).toBe(0);
  });

  it('says so when threads end again and again', async () => {
    const { one, said, made } = maker(20, 10);
    one.makeAhead(20);
    await until('it says so', () => said.stuck.length > 0);
    expect(said.stuck[0]).toBe('The thread has ended');
    expect(said.asked).toBeGreaterThanOrEqual(8);
    await until('a thread lives at last', () => made.length === 20);
  });

  it('has messages as the relay in use wants them: it removes a signature, and renders again for one', async () => {
    let signs = true;
    const parsed = parseAddress('ada@people.internal');
    if (!parsed.ok) throw new Error(parsed.reason);
    const person = { subscriberId: 'ada', address: parsed.address, simulated: false, recipient: {} } as Person;
    const asked: number[] = [];
    const dropped: number[] = [];
    let isFull = false;
    const thread = { isAlive: true, drop: ({ number }: RenderedHandle) => dropped.push(number) };
    const prefetcher = new MessagePrefetcher(
      {
        make: (recipients) => {
          asked.push(recipients.length);
          const message = { thread, to: 'ada@people.internal', octets: 10, isSigned: signs, withSignature: signs };
          return Promise.resolve(
            recipients.map(() => ({
              subject: 'News',
              message: { ...message, number: asked.length, isHeld: true } as never,
            })),
          );
        },
        made: () => undefined,
        isFull: () => isFull,
        failed: () => undefined,
        stuck: () => undefined,
      },
      [person, person, person],
    );
    const readyFor = async (wanted: boolean) => {
      signs = wanted;
      prefetcher.fit(signs);
      prefetcher.makeAhead(3);
      await until('all are ready', () => prefetcher.ready === 3);
      const signatures: boolean[] = [];
      prefetcher.take(({ message }) => signatures.push(message.isSigned && message.withSignature) < 0);
      return signatures;
    };
    expect(await readyFor(true)).toEqual([true, true, true]);
    expect(await readyFor(false)).toEqual([false, false, false]);
    expect(await readyFor(true)).toEqual([true, true, true]);
    expect([asked, dropped]).toEqual([[3], []]);
    // The thread has ended: messages that were in it are gone.
    thread.isAlive = false;
    prefetcher.fit(true);
    expect([prefetcher.ready, dropped.length, prefetcher.remaining]).toEqual([0, 3, 3]);
    thread.isAlive = true;
    expect(await readyFor(false)).toEqual([false, false, false]);
    expect(await readyFor(true)).toEqual([true, true, true]);
    expect(asked).toEqual([3, 3, 3]);
    expect(prefetcher.remaining).toBe(3);
    expect(prefetcher.giveUp()).toHaveLength(3);
    expect(dropped).toHaveLength(9);
    isFull = true;
    prefetcher.makeAhead(3);
    expect(asked).toEqual([3, 3, 3]);
  });
});
