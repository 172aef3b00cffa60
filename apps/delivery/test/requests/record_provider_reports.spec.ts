import { describe, expect, it } from '@jest/globals';
import { feedbackRequests } from '#contracts';
import type { ProviderReport } from '#contracts';
import { messageIdAt, uuidOf } from '#database';
import { linkTokens, shownId } from '../smtp/listener-fixture.js';
import { intoLayout, layouts, setState } from '../../../../test/harness/message-layouts.js';
import { SendFixture, people } from '../send-fixture.js';

interface Row {
  organization_id: string;
  message_id: string;
  month: string;
  email: string;
}

describe.each(layouts)('record_provider_reports, %s', (layout) => {
  const world = SendFixture.ofSuite();

  const record = async (reports: ProviderReport[]) =>
    await world.tidings
      .client(feedbackRequests)
      .record_provider_reports({ reports }, world.tidings.caller({ organizationId: '' }));
  /** Every message, by its address. */
  const messages = async () => {
    const rows = await world.database.query<Row[]>(
      `select organization_id, message_id, to_char(period, 'YYYY-MM') as month, email from any_message`,
    );
    return new Map(rows.map((row) => [row.email, row]));
  };
  const byPath = ({ organization_id: organizationId, message_id: messageId, month: period }: Row) => ({
    returnPath: `b.${linkTokens.seal('return-path', { organizationId, messageId, period })}@mail.internal`,
    messageId: null,
    address: null,
  });
  const byId = ({ message_id: id, email }: Row, address = email) => ({
    returnPath: null,
    messageId: `<${shownId(id)}@shop.internal>`,
    address,
  });

  it('records reports about many messages in their order, with the counters of their chunks', async () => {
    const relay = await world.relay();
    const tenant = await world.organization();
    const audience = [...people(5, 'told.internal'), { email: 'test@example.com' }];
    const send = await world.send(tenant, await world.audience(tenant, audience));
    world.engine(relay.url, { SMTP_FEEDBACK: 'webhook' });
    expect(await world.finished(send)).toMatchObject({ sent: 6, delivered: 1 });
    await world.tidings.deliverEvents();
    await intoLayout(world.database, layout, send.sendId);
    const of = await messages();
    const at = (n: number) => of.get(`p${n}@told.internal`)!;
    const late = { kind: 'DELAYED' as const, text: '451 later' };
    const gone = { status: '5.1.1', text: '550 5.1.1 No such user', type: null, category: null };
    expect(
      await record([
        { kind: 'DELIVERED', ...byPath(at(0)) },
        { kind: 'DELIVERED', ...byId(at(1)) },
        { kind: 'COMPLAINED', ...byId(at(1)), feedbackType: 'abuse', provider: 'told.internal' },
        { ...late, ...byPath(at(2)) },
        { ...late, ...byId(at(2)) },
        { kind: 'DELIVERED', ...byPath(at(2)) },
        { kind: 'BOUNCED', ...byPath(at(3)), ...gone },
        { kind: 'DELIVERED', ...byPath(at(3)) },
        { kind: 'DELIVERED', ...byId(at(4), 'somebody@else.internal') },
        { kind: 'DELIVERED', ...byId(of.get('test@example.com')!) },
        { kind: 'DELIVERED', returnPath: null, messageId: null, address: 'p4@told.internal' },
      ]),
    ).toEqual({ recorded: 6, unknown: 3, later: 0 });
    expect(await world.checked(send)).toMatchObject({ sent: 6, delivered: 4, bounced: 1 });
    expect(await world.states(send)).toEqual({ DELIVERED: 3, COMPLAINED: 1, BOUNCED: 1, SENT: 1 });
    const recorded = (await world.tidings.deliverEvents()).flatMap(({ name, data }) =>
      name.startsWith('message.') ? [`${(data as { email: string }).email.slice(0, 2)} ${name.slice(8)}`] : [],
    );
    expect(recorded).toEqual([
      ...['p0 delivered', 'p1 delivered', 'p1 complained', 'p2 delayed', 'p2 delivered', 'p3 bounced'],
    ]);
    const counts = await world.tidings.data('get_deliverability_health', { sinceDays: 1 }, tenant);
    expect(counts).toMatchObject({ delivered: 3, bounced: 1, complained: 1 });
  });

  it('asks for those again that are just being handed over, and records the others', async () => {
    const relay = await world.relay();
    const tenant = await world.organization();
    const send = await world.send(tenant, await world.audience(tenant, people(2, 'handing.internal')));
    world.engine(relay.url, { SMTP_FEEDBACK: 'webhook' });
    await world.finished(send);
    await intoLayout(world.database, layout, send.sendId);
    const of = await messages();
    const reports = ['p0', 'p1'].map((name) => ({
      kind: 'DELIVERED' as const,
      ...byPath(of.get(`${name}@handing.internal`)!),
    }));
    const set = (state: string) => setState(world.database, 'p0@handing.internal', state);
    await set('HANDING_OVER');
    expect(await record(reports)).toEqual({ recorded: 1, unknown: 0, later: 1 });
    await set('SENT');
    expect(await record(reports)).toEqual({ recorded: 1, unknown: 0, later: 0 });
    expect(await world.checked(send)).toMatchObject({ sent: 2, delivered: 2 });
  });

  if (layout === 'rows by position')
    it('asks for those again whose attempt mark has no outcome yet, by return path and by Message-ID', async () => {
      const relay = await world.relay();
      const tenant = await world.organization();
      const send = await world.send(tenant, await world.audience(tenant, people(2, 'marked.internal')));
      world.engine(relay.url, { SMTP_FEEDBACK: 'webhook' });
      await world.finished(send);
      await intoLayout(world.database, layout, send.sendId);
      const row = (await messages()).get('p0@marked.internal')!;
      const unmarked = { ...row, message_id: messageIdAt(uuidOf('send', send.sendId)!, 0, 7) };
      await world.database.query(`delete from campaign_message where message_id = $1`, [row.message_id]);
      const report = (named: object) => record([{ kind: 'DELIVERED', ...(named as ReturnType<typeof byPath>) }]);
      expect(await report(byPath(row))).toEqual({ recorded: 0, unknown: 0, later: 1 });
      expect(await report(byId(row))).toEqual({ recorded: 0, unknown: 0, later: 1 });
      expect(await report(byPath(unmarked))).toEqual({ recorded: 0, unknown: 1, later: 0 });
      const foreign = { ...row, organization_id: uuidOf('org', (await world.organization()).organizationId)! };
      expect(await report(byPath(foreign))).toEqual({ recorded: 0, unknown: 1, later: 0 });
    });
});
