import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { until } from '#testing';
import { BounceRepository } from '../../src/report/bounce/bounce.repository.js';
import { intoLayout, layouts } from '../../../../test/harness/message-layouts.js';
import { people } from '../send-fixture.js';
import { dsn, ListenerFixture, shownId } from './listener-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe.each(layouts)('bounces and complaints by mail, %s', (layout) => {
  const smtpListener = useFixture(() => ListenerFixture.start());

  it('story 10: counts a bounce that arrives hours later in the campaign, its analytics, health and the subscriber', async () => {
    const send = await smtpListener.world.send(
      smtpListener.tenant,
      await smtpListener.world.audience(smtpListener.tenant, people(4, 'late.internal')),
    );
    await smtpListener.world.finished(send);
    await intoLayout(smtpListener.world.database, layout, send.sendId);
    expect(await smtpListener.world.progress(send)).toMatchObject({ sent: 4, delivered: 4, bounced: 0 });
    for (const { email } of people(2, 'late.internal')) {
      const returnPath = await smtpListener.returnPathOf(email);
      await smtpListener.bounce(returnPath, dsn(email, '5.1.1', '550 5.1.1 No such user'));
      await smtpListener.bounce(returnPath, dsn(email, '5.1.1', '550 5.1.1 No such user'));
    }
    expect(await smtpListener.world.checked(send)).toMatchObject({ sent: 4, delivered: 2, bounced: 2 });
    expect(await smtpListener.statusOf('p0@late.internal')).toBe('BOUNCED');
    const health = await smtpListener.world.tidings.data<{ bounced: number }>(
      'get_deliverability_health',
      { sinceDays: 1 },
      smtpListener.tenant,
    );
    expect(health.bounced).toBe(2);
    const [row] = await smtpListener.world.database.query<[{ n: number }]>(
      `select count(*)::int as n from bounce_report where class = 'bounced'`,
    );
    expect(row.n).toBe(2);
  });

  it('ignores a full mailbox and a delay, and applies a complaint by Message-ID', async () => {
    await smtpListener.bounce(
      await smtpListener.returnPathOf('p2@late.internal'),
      dsn('p2@late.internal', '4.2.2', '452 4.2.2 Over quota'),
    );
    expect((await smtpListener.rowOf('p2@late.internal')).state).toBe('BOUNCED');
    expect(await smtpListener.statusOf('p2@late.internal')).toBe('SUBSCRIBED');
    const delayed = dsn('p3@late.internal', '4.4.1', 'Connection timed out').replace('failed', 'delayed');
    await smtpListener.bounce(await smtpListener.returnPathOf('p3@late.internal'), delayed);
    expect((await smtpListener.rowOf('p3@late.internal')).state).toBe('DELIVERED');
    const { message_id: id } = await smtpListener.rowOf('p3@late.internal');
    const delays = async () =>
      (await smtpListener.world.tidings.deliverEvents()).filter(({ name }) => name === 'message.delayed');
    expect(await delays()).toHaveLength(1);
    await smtpListener.bounce(await smtpListener.returnPathOf('p3@late.internal'), delayed);
    expect(await delays()).toHaveLength(0);
    await smtpListener.bounce(
      await smtpListener.returnPathOf('p3@late.internal'),
      delayed.replace('timed out', 'refused'),
    );
    expect(await delays()).toHaveLength(1);
    const arf = [
      ...['From: fbl@provider.internal', 'Subject: abuse', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/report; report-type=feedback-report; boundary="b"', '', '--b'],
      ...['Content-Type: text/plain', '', 'A report.', '', '--b', 'Content-Type: message/feedback-report', ''],
      ...['Feedback-Type: abuse', 'User-Agent: Fbl/1', 'Version: 1', '', '--b', 'Content-Type: message/rfc822', ''],
      ...['To: redacted@late.internal', `Message-ID: <${shownId(id)}@shop.internal>`, '', 'Hello', '--b--', ''],
    ].join('\r\n');
    expect([await smtpListener.report(arf), await smtpListener.report(arf)]).toEqual([
      { recorded: 1, unknown: 0, later: 0 },
      { recorded: 0, unknown: 0, later: 0 },
    ]);
    expect((await smtpListener.rowOf('p3@late.internal')).state).toBe('COMPLAINED');
    expect(await smtpListener.statusOf('p3@late.internal')).toBe('COMPLAINED');
    expect(uuidOf('org', smtpListener.tenant.organizationId)).toBe(
      (await smtpListener.rowOf('p3@late.internal')).organization_id,
    );
  });

  it('finds by its address which of several messages came back, and believes no Message-ID of a stranger', async () => {
    const both = ['first@several.internal', 'second@several.internal'];
    for (const to of both) await smtpListener.submit({ to });
    const states = async () =>
      (await Promise.all(both.map((email) => smtpListener.rowOf(email)))).map(({ state }) => state);
    await until('both are recorded', async () => (await states()).every((state) => state === 'DELIVERED'));
    const paths = await Promise.all(both.map((email) => smtpListener.returnPathOf(email)));
    const { message_id: id } = await smtpListener.rowOf('first@several.internal');
    const report = dsn('second@several.internal', '5.1.1', '550 5.1.1 No such user');
    // To an unsigned return path, and to the one of the second with the first one's Message-ID.
    await expect(
      smtpListener.bounce(`b.${'a'.repeat(62)}@${smtpListener.tenant.sender.mailFromDomain}`, report),
    ).rejects.toThrow('Relaying denied');
    const several = report.replace('It came back.', `It came back: ${paths.join(' ')} <${id}@shop.internal>`);
    await smtpListener.report(several);
    expect(await states()).toEqual(['DELIVERED', 'BOUNCED']);
  });

  /** A machine-readable report with a group of fields for each recipient. */
  const dsnOf = (...groups: string[][]) =>
    dsn('x@y.internal', '5.0.0', '').replace(
      /Final-Recipient[^]*?\r\n\r\n/,
      `${groups.map((g) => g.join('\r\n')).join('\r\n\r\n')}\r\n\r\n`,
    );
  const failed = ['Action: failed', 'Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 No such user'];
  const arrivedAt = async (to: string) => {
    await smtpListener.submit({ to });
    await until('it is recorded', async () => (await smtpListener.rowOf(to)).state === 'DELIVERED');
    return await smtpListener.returnPathOf(to);
  };

  it.each([
    ['arrived, while another one failed', ['Action: delivered', 'Status: 2.0.0'], 'DELIVERED'],
    ['is delayed, while another one failed', ['Action: delayed', 'Status: 4.4.1'], 'DELIVERED'],
    ['failed, behind others that failed for another reason', failed, 'BOUNCED'],
  ])('applies the entry of the return path’s recipient: it %s', async (name, fields, state) => {
    const to = `mine${name.length}@entries.internal`;
    const returnPath = await arrivedAt(to);
    const full = ['Final-Recipient: rfc822; else@entries.internal', 'Action: failed', 'Status: 5.2.2'];
    await smtpListener.bounce(returnPath, dsnOf(full, [`Final-Recipient: rfc822; ${to.toUpperCase()}`, ...fields]));
    expect((await smtpListener.rowOf(to)).state).toBe(state);
    if (state === 'BOUNCED')
      expect(await smtpListener.bounceOf(to)).toMatchObject({ bounceType: 'HARD', status: '5.1.1' });
  });

  it('finds the entry of its recipient by the original address, and records nothing from other entries alone', async () => {
    const to = 'alias@entries.internal';
    const returnPath = await arrivedAt(to);
    const others = ['one', 'two'].map((name) => [`Final-Recipient: rfc822; ${name}@entries.internal`, ...failed]);
    await smtpListener.bounce(returnPath, dsnOf(...others));
    expect((await smtpListener.rowOf(to)).state).toBe('DELIVERED');
    const own = [`Original-Recipient: rfc822;${to}`, 'Final-Recipient: rfc822; box7@store.internal', ...failed];
    await smtpListener.bounce(returnPath, dsnOf(...others, own));
    expect((await smtpListener.rowOf(to)).state).toBe('BOUNCED');
  });

  it('believes a sole entry under any address, since servers rewrite them', async () => {
    const to = 'rewritten@entries.internal';
    await smtpListener.bounce(await arrivedAt(to), dsnOf(['Final-Recipient: rfc822; box7@store.internal', ...failed]));
    expect((await smtpListener.rowOf(to)).state).toBe('BOUNCED');
  });

  it('records each entry of a trusted channel for the message with its address', async () => {
    const addresses = ['a', 'b', 'c'].map((name) => `${name}@digest.internal`);
    const paths: string[] = [];
    for (const to of addresses) paths.push(await arrivedAt(to));
    const [a, b, c] = addresses.map((to) => [`Final-Recipient: rfc822; ${to}`]);
    const report = dsnOf(
      [...a!, ...failed],
      [...b!, 'Action: delivered', 'Status: 2.0.0'],
      [...c!, 'Action: failed', 'Status: 5.2.2'],
    ).replace('It came back.', `They came back: ${paths.join(' ')}`);
    expect(await smtpListener.report(report)).toEqual({ recorded: 1, unknown: 0, later: 0 });
    const states = await Promise.all(addresses.map(async (to) => (await smtpListener.rowOf(to)).state));
    expect(states).toEqual(['BOUNCED', 'DELIVERED', 'BOUNCED']);
    expect(await smtpListener.bounceOf('c@digest.internal')).toMatchObject({ bounceType: 'SOFT', status: '5.2.2' });
  });

  it('records what it says in characters of two halves, wherever it is cut', async () => {
    for (const padding of ['', 'x']) {
      const to = padding === '' ? 'one@wide.internal' : 'two@wide.internal';
      await smtpListener.submit({ to });
      await until('it is recorded', async () => (await smtpListener.rowOf(to)).state === 'DELIVERED');
      const said = `Sorry, no mailbox here by that name. (#5.1.1) ${padding}`;
      const mail = [
        ...['From: MAILER-DAEMON@q.internal', 'Subject: failure notice', 'Content-Type: text/plain; charset=utf-8', ''],
        ...['This is the qmail-send program at q.internal.', '', `<${to}>:`, `${said}${'😀'.repeat(600)}`, ''],
      ];
      await smtpListener.bounce(await smtpListener.returnPathOf(to), mail.join('\r\n'));
      expect((await smtpListener.rowOf(to)).state).toBe('BOUNCED');
    }
  });

  it('asks the sender to retry a report about a message with an open attempt', async () => {
    const to = 'quick@later.internal';
    await smtpListener.submit({ to });
    await until('it is recorded', async () => (await smtpListener.rowOf(to)).state === 'DELIVERED');
    const report = dsn(to, '5.1.1', '550 5.1.1 No such user').replace(
      'It came back.',
      await smtpListener.returnPathOf(to),
    );
    const set = (state: string) =>
      smtpListener.world.database.query(`update message set state = $1, owner = $2 where email = $3`, [
        state,
        randomUUID(),
        to,
      ]);
    await set('HANDING_OVER');
    expect(await smtpListener.report(report)).toEqual({ recorded: 0, unknown: 0, later: 1 });
    await set('DELIVERED');
    expect(await smtpListener.report(report)).toEqual({ recorded: 1, unknown: 0, later: 0 });
  });

  it('counts as delivered what a server says arrived, and keeps no such report', async () => {
    const to = 'sure@told.internal';
    await smtpListener.submit({ to });
    await until('it is recorded', async () => (await smtpListener.rowOf(to)).state === 'DELIVERED');
    await smtpListener.world.database.query(`update message set state = 'SENT', delivered_at = null where email = $1`, [
      to,
    ]);
    const report = dsn(to, '2.0.0', '250 2.0.0 Ok').replace('Action: failed', 'Action: relayed');
    await smtpListener.bounce(await smtpListener.returnPathOf(to), report);
    expect((await smtpListener.rowOf(to)).state).toBe('DELIVERED');
    expect(await smtpListener.world.database.query(`select 1 from bounce_report where class = 'delivered'`)).toEqual(
      [],
    );
  });

  it('story 26: keeps reports for 30 days', async () => {
    const count = async () =>
      (await smtpListener.world.database.query<[{ n: number }]>(`select count(*)::int as n from bounce_report`))[0].n;
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await smtpListener.world.database.query(
      `insert into bounce_report (organization_id, report_id, class, raw)
       select $1, uuid_floor(clock_timestamp() - interval '31 days'), 'bounced', 'old'`,
      [uuidOf('org', smtpListener.tenant.organizationId)],
    );
    expect(await new BounceRepository(smtpListener.world.database.manager).deleteOld()).toBe(1);
    expect(await count()).toBe(before);
  });
});
