import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  approvalRequests,
  auditRequests,
  messageRequests,
  domainRequests,
  subscriberLifeRequests,
  subscriberRequests,
} from '#contracts';
import type { DomainEvent, Service } from '#contracts';
import { newId, newSendUuid, newUuid, uuidOf, wireId } from '#database';
import { DeadLetterRepository, Outbox, settledData } from '#events';
import { jobsOf as jobsOfPlan } from '#service-host';
import { until } from '#testing';
import { markdown, template, twoTenants } from '../apps/delivery/test/send-fixture.js';
import type { TwoTenants } from '../apps/delivery/test/send-fixture.js';
import { exportWorker } from '../apps/subscriber/test/exports.js';
import { checked, imported, uploaded as uploadedImport } from '../apps/subscriber/test/imports.js';
import { byHand, WorkflowFixture, graph, mail } from '../apps/workflow/test/workflow-fixture.js';
import { findText } from './harness/find-text.js';
import { intoLayout } from './harness/message-layouts.js';
import { personalPlaces } from './harness/personal-data.js';
import type { PersonalPlace } from './harness/personal-data.js';
import { environmentFor, plans } from './harness/service-plans.js';

const services: Service[] = ['subscriber', 'campaign', 'delivery', 'domain', 'workflow'];
const [email, name] = ['zebedee.quillfeather@real.internal', 'Zebedee Quillfeather'];
const [local, surname] = ['zebedee.quillfeather', 'Quillfeather'];

/** The columns of an entry: one, or one in each schema; none for a place outside PostgreSQL. */
const columnsOf = ({ place }: PersonalPlace): string[] => {
  if (!/^[a-z*_]+\.[a-z_]+\.[a-z_]+$/.test(place)) return [];
  return place.startsWith('*') ? services.map((service) => place.replace('*', service)) : [place];
};
const inDatabase = personalPlaces.filter((place) => columnsOf(place).length > 0);

describe('an address and a name', () => {
  let { world, sink, tenant: owner } = {} as TwoTenants;
  let workflows: WorkflowFixture;
  beforeAll(async () => {
    ({ world, sink, tenant: owner } = await twoTenants());
    workflows = await WorkflowFixture.on(world.tidings);
    world.engine(sink.url);
  });
  afterAll(() => world.stop().then(() => sink.stop()));

  /** Places that hold the subscriber now, in any spelling; compressed files are counted. */
  const placesNow = async (): Promise<string[]> => {
    const found = [
      ...(await findText(world.tidings.ownerUrl, local)),
      ...(await findText(world.tidings.ownerUrl, surname)),
    ];
    const compressed: string[] = [];
    for (const table of ['export_chunk', 'subscriber_import_piece', 'subscriber_import_error_chunk']) {
      const [row]: { n: number }[] = await world.tidings
        .dataSource('subscriber')
        .query(`select count(*)::int as n from ${table}`);
      if (row!.n > 0) compressed.push(`subscriber.${table}.content`);
    }
    return [...new Set([...found, ...compressed])].sort();
  };
  const jobsOf = (service: Service) => {
    const plan = plans[['subscriber', 'campaign', 'delivery', 'domain', 'workflow'].indexOf(service)]!(
      environmentFor(world.tidings.ownerUrl),
    );
    const dataSource = world.tidings.dataSource(service);
    const parts = { dataSource, bus: world.tidings.bus, contexts: { plain: () => ({ manager: dataSource.manager }) } };
    return jobsOfPlan(plan, parts as never);
  };
  const runJob = async (service: Service, job: string) => {
    const found = jobsOf(service).find((one) => one.name === job);
    if (!found) throw new Error(`the ${service} service has no job "${job}"`);
    for (let did: number | void = 1; did; did = found.untilNone ? await found.run() : void (await found.run()));
  };

  /** Creates the subscriber's data in every place, by the calls that lead there. */
  async function reachEveryPlace(): Promise<void> {
    const { tidings: harness } = world;
    const caller = harness.caller(owner);
    await harness.call('add_subscriber', { email, name, fields: { motto: `By ${name}` } }, owner, {
      callId: 'key:add',
    });
    await harness.data('update_subscriber', { subscriber: email, name: `Dr ${name}` }, owner);
    const audience = await world.audience(owner, [{ email, name }]);
    const send = await world.send(owner, audience, { campaignName: 'May' });
    const subject = template(markdown, 'News for {{name | "you"}}');
    const byPosition = await world.send(owner, audience, { campaignName: 'June', template: subject });
    await harness.data(
      'send_email',
      {
        from: `orders@${owner.sender.domain}`,
        to: email,
        subject: `Receipt of ${name}`,
        html: `<p>${email}</p>`,
        text: name,
        tags: [{ name: 'who', value: surname }],
      },
      owner,
    );
    const test = {
      sourceKey: newUuid(),
      email,
      senderId: null,
      subject: `[Test] ${name}`,
      html: '<p>Hi</p>',
      text: 'Hi',
      replyTo: null,
    };
    await harness.client(messageRequests).queue_test(test, caller);
    const workflowId = await workflows.live(graph([byHand, mail('letter')]));
    await workflows.subscriber(email, { name });
    await workflows.enrol(workflowId, email);
    await workflows.run();
    await world.finished(send);
    await world.finished(byPosition);
    await intoLayout(world.database, 'rows by position', byPosition.sendId);
    await until('all mail is handed over', async () => {
      const [row]: { n: number }[] = await world.database.query(
        `select count(*)::int as n from message where state not in ('SENT', 'DELIVERED')`,
      );
      return row!.n === 0;
    });
    for (const table of ['message', 'campaign_message'])
      await world.database.query(`update ${table} set response = '250 accepted for ' || email where email <> ''`);
    await world.database.query(
      `insert into bounce_report (organization_id, report_id, class, raw) values ($1, $2, 'BOUNCE', $3)`,
      [uuidOf('org', owner.organizationId), newUuid(), `Final-Recipient: rfc822; ${email}`],
    );
    const filters = [{ type: 'STRING' as const, field: 'email' as const, operator: 'EQUALS' as const, value: email }];
    const frozen = { audienceId: newId('aud'), purpose: 'ENROLMENT' as const, filters };
    await harness.client(subscriberRequests).freeze_audience(frozen, caller);
    await harness.data('create_subscriber_export', { query: surname }, owner);
    while (await exportWorker(harness).writeNext()) continue;
    const importId = await uploadedImport(harness, owner, `email,name\n${email},${name}\n,${name}`);
    await checked(harness, owner, importId);
    await imported(harness, owner, importId);
    await settleMessage();
    await decideAndRecord();
    const letter = {
      name: 'message.sent',
      organizationId: owner.organizationId,
      data: { email },
    } as unknown as DomainEvent;
    for (const service of services) {
      const sql = harness.dataSource(service).manager;
      const failed = { consumer: service, event: letter, error: `no row for ${email}`, attempts: 3 };
      await new DeadLetterRepository(sql).insert({ id: newUuid(), ...failed });
      await sql.query(
        `insert into executed_call (organization_id, call_id, request_hash, state, answer) values ($1, 'key:any', '', 'DONE', $2)`,
        [uuidOf('org', owner.organizationId), { ok: true, data: { email } }],
      );
      await sql.query(
        `insert into outbox (outbox_id, lane, organization_id, subject, events, published_at) values ($1, 0, $2, $3, $4, now())`,
        [newUuid(), uuidOf('org', owner.organizationId), service, JSON.stringify([letter])],
      );
    }
  }

  /** Reports a message of a campaign whose subject has the name, as the ledger does. */
  async function settleMessage(): Promise<void> {
    const { tidings: harness } = world;
    const { subscriber } = await harness.data<{ subscriber: { id: string } }>('get_subscriber', { email }, owner);
    const sendId = wireId('send', newSendUuid());
    const message = { position: 0, subscriberId: subscriber.id, variant: null, destination: 'other', simulated: false };
    const about = { sendId, campaignId: newId('cmp'), chunk: 0, at: new Date().toISOString() };
    const outbox = new Outbox('delivery');
    const data = settledData(about, [{ ...message, outcome: 'DELIVERED', subjectValues: [name] }]);
    outbox.add(owner.organizationId, 'messages.settled', data, sendId);
    await outbox.flush(harness.dataSource('delivery').manager);
    await harness.deliverEvents();
  }

  async function decideAndRecord(): Promise<void> {
    const { tidings: harness } = world;
    const { organizationId } = owner;
    const operator = harness.caller({ organizationId: '' });
    const { token } = await harness.client(domainRequests).create_token({ organizationId, name: 'agent' }, operator);
    const actor = { kind: 'TOKEN' as const, id: token.id };
    const asked = { tool: 'send_email', parameters: { to: email }, action: 'Send', message: `To ${email}.` };
    const call = { actor, requestHash: 'x', callId: null, ...asked };
    await harness.client(approvalRequests).ask_approval(call, harness.caller(owner));
    const entry = { id: newId('adt'), organizationId, tokenId: token.id, tool: 'send_email', target: email };
    await harness
      .client(auditRequests)
      .record_audit({ entries: [{ ...entry, source: 'tools', outcome: 'OK', requestId: 'r' }] }, operator);
  }

  it('appear in the listed places only, and in each of them', async () => {
    await reachEveryPlace();
    const listed = new Set(inDatabase.flatMap(columnsOf));
    const found = await placesNow();
    expect(found.filter((place) => !listed.has(place))).toEqual([]);
    expect([...listed].filter((place) => !found.includes(place))).toEqual([]);
  });

  it('are gone with their subscriber from each that has no age', async () => {
    const { tidings: harness } = world;
    for (const tenant of [owner, workflows.tenant])
      await harness.client(subscriberLifeRequests).delete_subscriber({ email }, harness.caller(tenant));
    await harness.deliverEvents();
    await runJob('delivery', 'forget deleted people');
    const outlives = new Set(inDatabase.filter(({ age }) => age !== undefined).flatMap(columnsOf));
    expect((await placesNow()).filter((place) => !outlives.has(place))).toEqual([]);
  });

  it('are gone from the others at their age', async () => {
    for (const { job } of inDatabase) {
      if (!job) continue;
      for (const service of job.service === '*' ? services : [job.service]) {
        await world.tidings.dataSource(service).query(job.makeOld);
        await runJob(service, job.name);
      }
    }
    const inPartitions = new Set(inDatabase.filter(({ partition }) => partition).flatMap(columnsOf));
    expect((await placesNow()).filter((place) => !inPartitions.has(place))).toEqual([]);
    for (const place of inPartitions) {
      const [schema, table] = place.split('.');
      const rows: { hours: number }[] = await world.tidings
        .dataSource(schema as Service)
        .query(`select extract(epoch from keep)::int / 3600 as hours from partitioned where table_name = $1`, [table]);
      expect(rows).toEqual([{ hours: 48 }]);
    }
  });

  it('are described in the documentation as in the list', () => {
    const page = readFileSync('docs/guides/personal-data.md', 'utf8');
    const rows = personalPlaces.map(({ place, holds, erasure, age = '' }) => {
      const shown = columnsOf({ place } as PersonalPlace).length > 0 ? `\`${place}\`` : place;
      return `| ${shown} | ${holds} | ${erasure} | ${age} |`;
    });
    const cells = page.split('\n').map((line) => line.replace(/ {2,}/g, ' ').replace(/\| \|/g, '|  |'));
    expect(rows.filter((row) => !cells.includes(row))).toEqual([]);
    expect(
      cells.filter((line) => line.startsWith('| ') && !line.startsWith('| Place') && !line.startsWith('| ---')),
    ).toHaveLength(rows.length);
  });
});
