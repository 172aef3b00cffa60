import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '#testing';
import { killSocket } from '../journal-fixture.js';
import { Line, people, SendFixture } from '../send-fixture.js';
import type { StartedSend } from '../send-fixture.js';

jest.setTimeout(120_000);

describe('a send whose engine dies beside its journal', () => {
  const world = SendFixture.ofSuite({}, 1);
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'tidings-data-'));
  });
  afterEach(() => rmSync(data, { recursive: true }));
  const attempts = () => join(data, 'attempts');
  const namesOf = (end: string) => readdirSync(attempts()).filter((name) => name.endsWith(end));
  const journals = () => namesOf('.1').map((name) => readFileSync(join(attempts(), name), 'utf8'));
  const struck = ['mail', 'dot', 'taken', 'refused'];
  const named = (names: readonly string[]) => names.map((name) => ({ email: `${name}@people.internal`, name }));
  const messageOf = async (send: StartedSend, name: string) =>
    (await world.messages(send)).find(({ email }) => email.startsWith(`${name}@`));
  const statesOf = async (send: StartedSend) =>
    Promise.all(struck.map(async (name) => (await messageOf(send, name))?.state));

  /** Strikes an engine while messages are in all states. @param isDead whether the process has certainly ended */
  const strike = async (isDead: boolean): Promise<StartedSend> => {
    const asked = new Set<string>();
    let answer = () => {};
    const answers = new Promise<void>((resolve) => (answer = resolve));
    const sink = await world.relay({
      behave: (to) => {
        asked.add(to);
        if (to.startsWith('mail@')) return { do: 'hang', at: 'RCPT' };
        if (to.startsWith('dot@')) return { do: 'hang', at: 'DOT' };
        const isRefused = to.startsWith('refused@');
        return { do: 'wait', until: answers, ...(isRefused && { reply: '550 5.1.1 nobody' }) };
      },
    });
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, [...named(struck), ...people(20)]));
    const line = new Line(world.database);
    world.engine(sink.url, { DATA_DIR: data }, line);
    await until('all are attempted', () => asked.size === 24);
    await line.cut();
    answer();
    await until('the replies are noted', () => journals().join('').split('\nreply ').length === 23);
    if (isDead) for (const name of namesOf('.sock')) await killSocket(join(attempts(), name));
    await world.endLeases();
    return send;
  };

  it('leaves those in doubt whose dot has no reply, and no others', async () => {
    const send = await strike(true);
    const second = await world.relay();
    world.engine(second.url, { DATA_DIR: data });
    expect(await world.finished(send)).toMatchObject({ sent: 22, inDoubt: 1, failed: 1, pending: 0 });
    expect(await statesOf(send)).toEqual(['DELIVERED', 'IN_DOUBT', 'DELIVERED', 'FAILED']);
    expect([...second.counts]).toEqual([['mail@people.internal', 1]]);
    const { messageId } = (await messageOf(send, 'taken'))!;
    const rows = await world.database.query(`select subject_values from campaign_message where message_id = $1`, [
      messageId,
    ]);
    expect(rows).toEqual([{ subject_values: ['taken'] }]);
    expect(await messageOf(send, 'refused')).toMatchObject({ response: expect.stringContaining('5.1.1 nobody') });
  });

  it('leaves the whole window in doubt while its process may live', async () => {
    const send = await strike(false);
    const second = await world.relay();
    world.engine(second.url, { DATA_DIR: data });
    expect(await world.finished(send)).toMatchObject({ sent: 0, inDoubt: 24, pending: 0 });
    expect(second.accepted).toBe(0);
  });
});
