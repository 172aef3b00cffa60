import { describe, expect, it, jest } from '@jest/globals';
import { finishSends } from '../../src/send/finish-send.job.js';
import { ClaimFixture, idsOf } from '../claim-fixture.js';
import { SendFixture } from '../send-fixture.js';

jest.setTimeout(120_000);

describe('the end of a send is found by the sweep', () => {
  const world = SendFixture.ofSuite();
  const claims = ClaimFixture.ofSuite(world);
  const checks = async () =>
    (await world.database.query<[{ n: number }]>('select count(*)::int as n from send_end_check'))[0].n;

  it.each(['RUNNING', 'PAUSED', 'STOPPED'])('when its last chunk ends, and it is %s', async (state) => {
    const send = await claims.makeOne(2);
    await claims.setSend(`state = '${state}'`, send);
    await world.database.query(`update send_page set state = 'DONE' where send_id = $1 and page_no = 0`, [
      send.send_id,
    ]);
    expect(await claims.sweep()).toBe(0);
    expect(await claims.hasEnded(send)).toBe(false);
    await claims.setChunks(`state = 'DONE'`, send);
    expect(await claims.sweep()).toBe(1);
    expect(await claims.hasEnded(send)).toBe(true);
    await claims.sweep();
    expect(await checks()).toBe(0);
  });

  it('when its last deferred message ends, and when chunk and message end in two transactions at one time', async () => {
    const send = await claims.makeOne(2);
    await claims.setChunks(`deferred = 2`, send);
    const sessions = [world.database.createQueryRunner(), world.database.createQueryRunner()];
    for (const [chunk, session] of sessions.entries()) {
      await session.startTransaction();
      await session.query(`update send_page set state = 'DONE', deferred = 0 where send_id = $1 and page_no = $2`, [
        send.send_id,
        chunk,
      ]);
    }
    await claims.sweep();
    await sessions[0]!.commitTransaction();
    await claims.sweep();
    expect(await claims.hasEnded(send)).toBe(false);
    await sessions[1]!.commitTransaction();
    for (const session of sessions) await session.release();
    await claims.sweep();
    expect(await claims.hasEnded(send)).toBe(true);
  });

  it('after a process died between the change and the end', async () => {
    const send = await claims.makeOne(1);
    await claims.setChunks(`state = 'DONE'`, send);
    const broken = claims.contexts();
    broken.transaction = () => Promise.reject(new Error('the process died'));
    await expect(finishSends({ contexts: broken })).rejects.toThrow('the process died');
    expect(await claims.hasEnded(send)).toBe(false);
    await claims.sweep();
    expect(await claims.hasEnded(send)).toBe(true);
  });

  it('when a stopped send has a message in progress that is deferred again', async () => {
    const send = await claims.makeOne(1);
    await claims.setChunks(`state = 'DONE', deferred = 1`, send);
    await claims.sends.updateState(...idsOf(send), { state: 'STOPPED', reason: null });
    for (let round = 0; round < 3; round++) expect(await claims.sweep()).toBe(1);
    expect([await checks(), await claims.hasEnded(send)]).toEqual([1, false]);
    // The result deferred it, so the counter did not change.
    await world.database.query(
      `insert into message (organization_id, message_id, period, kind, send_id, page_no, subscriber_id, email, subject, state, due_at)
       select organization_id, gen_random_uuid(), period, 'CAMPAIGN', send_id, 0, gen_random_uuid(), 'a@people.internal', '',
         'DEFERRED', clock_timestamp() from send where send_id = $1`,
      [send.send_id],
    );
    await claims.sweep();
    expect(await claims.hasEnded(send)).toBe(true);
  });

  it('when it has no recipients', async () => {
    const send = await claims.makeOne(0);
    await claims.sweep();
    expect(await claims.hasEnded(send)).toBe(true);
  });
});
