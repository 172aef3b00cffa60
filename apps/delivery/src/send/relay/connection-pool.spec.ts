import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLogger } from '#observability';
import { SmtpSink, until } from '#testing';
import { meterOf } from '../../metrics/send-metrics.service.js';
import type { DestinationRepository } from './destination.repository.js';
import { parseRelayUrl } from './relay-address.js';
import { lanes } from '../../message/send-queue.js';
import type { SendQueue } from '../../message/send-queue.js';
import { sendThreads } from '../../../test/send-threads-fixture.js';
import { Relay } from './connection-pool.worker.js';
import type { ConnectionSlot } from './connection-pool.worker.js';

/** Long timeouts, so that a busy machine is not taken for an unavailable relay. */
const patient = { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, dataMs: 30_000 };
const meter = meterOf(new Registry());
const threads = sendThreads(2);
const accepted = { kind: 'replied', code: 250, response: '250 2.0.0 Ok' } as const;

describe('the connections to the relay', () => {
  let sink: SmtpSink;
  let relay: Relay;
  beforeAll(async () => {
    sink = await SmtpSink.start();
    relay = new Relay({
      address: parseRelayUrl(sink.url),
      connections: 4,
      timeouts: patient,
      threads,
      // Used only for an unavailable relay, which this one never is.
      destinations: {} as DestinationRepository,
      meter,
      log: createLogger('spec', 'silent'),
    });
  });
  afterAll(async () => {
    await relay.stop();
    await threads.stop();
    await sink.stop();
  });

  afterEach(() => void jest.restoreAllMocks());

  const taken = async (): Promise<ConnectionSlot> => {
    let turn: ConnectionSlot | null = null;
    await until('a connection is open', () => (turn = relay.take('campaign', 'ada@people.internal')) !== null);
    return turn!;
  };

  it('keep the place of a message until its result is recorded, so that no more are in doubt than there are connections', async () => {
    expect(relay.quota('campaign')).toBe(2);
    const slots = [await taken(), await taken()];
    expect(relay.mayTake('campaign')).toBe(false);
    relay.give(slots[0]!, accepted);
    expect(relay.mayTake('campaign')).toBe(false);
    // A caller that records the result in the statement of the next mark has its place again.
    expect(relay.mayTake('campaign', 1)).toBe(true);
    relay.recorded('campaign', 1);
    expect(relay.mayTake('campaign')).toBe(true);
    relay.give(slots[1]!, null);
    expect(relay.take('campaign', 'ada@people.internal')).not.toBeNull();
  });

  it('are left to what goes before', () => {
    expect(lanes.map((lane) => relay.quota(lane))).toEqual([4, 3, 3, 2]);
  });

  it('carry several marked messages with a window, and leave connections to what goes before', async () => {
    const options = { timeouts: patient, threads, meter, log: createLogger('spec', 'silent') };
    const destinations = {} as DestinationRepository;
    const wide = new Relay({ address: parseRelayUrl(sink.url), connections: 4, window: 2, destinations, ...options });
    expect(lanes.map((lane) => wide.quota(lane))).toEqual([8, 6, 6, 4]);
    const take = (lane: SendQueue) => wide.take(lane, 'ada@people.internal');
    const campaign: ConnectionSlot[] = [];
    await until('two connections are open', () => {
      const slot = take('campaign');
      if (slot) campaign.push(slot);
      return campaign.length === 2;
    });
    expect(new Set(campaign.map(({ client }) => client)).size).toBe(2);
    // Their results are not recorded, and the window has room for two more messages.
    for (const slot of campaign.splice(0)) wide.give(slot, accepted);
    campaign.push(take('campaign')!, take('campaign')!);
    expect([...campaign.map((slot) => slot !== null), take('campaign')]).toEqual([true, true, null]);
    await until('others have a connection', () => take('single') !== null);
    await wide.stop();
  });

  it('carry one message behind another one only while the relay answers fast', async () => {
    const options = { timeouts: patient, threads, meter, log: createLogger('spec', 'silent') };
    const destinations = {} as DestinationRepository;
    const wide = new Relay({ address: parseRelayUrl(sink.url), connections: 3, window: 2, destinations, ...options });
    const thread = threads.leastConnected();
    const take = () => wide.take('campaign', 'ada@people.internal', 0, thread);
    let slot: ConnectionSlot | null = null;
    await until('a connection is open', () => (slot = take()) !== null);
    expect(take()).toBeNull();
    const raw = 'Subject: Hello\r\n\r\nHello\r\n';
    const report = await wide.attempt(slot!, {
      from: 'us@example.com',
      to: 'ada@people.internal',
      raw,
      smtpUtf8: false,
    });
    wide.give(slot!, report);
    wide.recorded('campaign', 1);
    expect([take(), take()].map((one) => one?.client === slot!.client)).toEqual([true, true]);
    await wide.stop();
  });

  it('go to the fallback while the first relay is in trouble', async () => {
    const noted: string[] = [];
    const destinations = { delete: (name: string) => Promise.resolve(void noted.push(name)) } as DestinationRepository;
    const both = new Relay({
      // No server listens there.
      address: parseRelayUrl('smtp://127.0.0.1:1'),
      fallback: parseRelayUrl(sink.url),
      dkim: { first: 'both', fallback: 'relay' },
      connections: 4,
      timeouts: patient,
      threads,
      destinations,
      meter,
      log: createLogger('spec', 'silent'),
    });
    expect([relay.signs, both.signs]).toEqual([true, true]);
    let turn: ConnectionSlot | null = null;
    await until('the fallback takes it', () => (turn = both.take('single', 'ada@people.internal')) !== null);
    expect(turn!.client.address).toEqual(parseRelayUrl(sink.url));
    expect(both.signs).toBe(false);
    both.give(turn!, accepted);
    expect(noted).toEqual(['relay']);
    await both.stop();
  });

  it('are taken at the pace that is set', async () => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const options = {
      timeouts: patient,
      threads,
      meter,
      destinations: {} as DestinationRepository,
      log: createLogger('spec', 'silent'),
    };
    const paced = new Relay({ address: parseRelayUrl(sink.url), connections: 4, perSecond: 5, ...options });
    const takenNow = () => paced.take('campaign', 'ada@people.internal');
    let turn: ConnectionSlot | null = null;
    await until('a connection is open', () => (turn = takenNow()) !== null);
    for (let n = 1; n < 6; n++) {
      paced.give(turn!, accepted);
      paced.recorded('campaign', 1);
      now += 199;
      expect(takenNow()).toBeNull();
      now += 1;
      turn = takenNow();
      expect(turn).not.toBeNull();
    }
    paced.give(turn!, accepted);
    paced.recorded('campaign', 1);
    expect(['campaign', 'retry', 'workflow', 'single'].map((lane) => paced.mayTake(lane as SendQueue))).toEqual([
      ...[false, true, true, true],
    ]);
    await paced.stop();
  });

  it('note no trouble that comes of their end', async () => {
    const sockets: Socket[] = [];
    // It never greets.
    const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await until('it listens', () => mute.listening);
    const noted: string[] = [];
    const ending = new Relay({
      address: parseRelayUrl(`smtp://127.0.0.1:${(mute.address() as AddressInfo).port}`),
      connections: 4,
      timeouts: patient,
      threads,
      destinations: { upsert: (name: string) => Promise.resolve(void noted.push(name)) } as never,
      meter,
      log: createLogger('spec', 'silent'),
    });
    for (let n = 0; n < 4; n++) expect(ending.take('single', 'ada@people.internal')).toBeNull();
    await until('all connect', () => sockets.length === 4);
    await ending.stop();
    sockets.forEach((socket) => socket.destroy());
    await until('the connections are given up', () => ending.state.connections.opening === 0);
    expect(noted).toEqual([]);
    mute.close();
  });

  /** Wants eight connections of a relay that allows three. */
  const threeOfEight = async (manner: { greetsAll?: boolean }) => {
    const few = await SmtpSink.start({ connections: 3, ...manner });
    const noted: string[] = [];
    const limited = new Relay({
      address: parseRelayUrl(few.url),
      connections: 8,
      timeouts: patient,
      threads,
      destinations: { upsert: (name: string) => Promise.resolve(void noted.push(name)) } as never,
      meter,
      log: createLogger('spec', 'silent'),
    });
    return { few, limited, noted };
  };

  it('are as many as the relay allows, which is not asked for more again and again', async () => {
    const { few, limited, noted } = await threeOfEight({});
    const slots: ConnectionSlot[] = [];
    await until('it has shown what it allows', () => {
      const turn = limited.take('single', 'ada@people.internal');
      if (turn) slots.push(turn);
      return slots.length === 3 && limited.quota('single') === 3 && limited.state.connections.opening === 0;
    });
    const before = few.turnedAway;
    limited.give(slots[0]!, accepted);
    limited.recorded('single', 1);
    expect(limited.take('single', 'ada@people.internal')).not.toBeNull();
    expect(limited.take('single', 'ada@people.internal')).toBeNull();
    expect(limited.state).toMatchObject({ isInTrouble: false, connections: { opening: 0 } });
    expect([noted, few.turnedAway]).toEqual([[], before]);
    await limited.stop();
    await few.stop();
  });

  it('stay within the limit also if the relay greets every connection and refuses at the first message', async () => {
    const { few, limited, noted } = await threeOfEight({ greetsAll: true });
    const smtpMessage = {
      from: 'b@shop.internal',
      to: 'ada@people.internal',
      raw: 'Subject: x\r\n\r\nx',
      smtpUtf8: false,
    };
    const slots: ConnectionSlot[] = [];
    await until('all are open', () => {
      const turn = limited.take('single', smtpMessage.to);
      if (turn) slots.push(turn);
      return slots.length === 8;
    });
    const handOver = async (turn: ConnectionSlot) => limited.give(turn, await limited.attempt(turn, smtpMessage));
    await Promise.all(slots.splice(0).map(handOver));
    limited.recorded('single', 8);
    expect([few.accepted, few.turnedAway, limited.quota('single')]).toEqual([3, 5, 3]);
    for (let n = 0; n < 20; n++) {
      await handOver(limited.take('single', smtpMessage.to)!);
      limited.recorded('single', 1);
    }
    expect([few.accepted, few.turnedAway, limited.state.isInTrouble, noted]).toEqual([23, 5, false, []]);
    await limited.stop();
    await few.stop();
  });
});
