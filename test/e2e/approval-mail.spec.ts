import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { sessionRequests } from '#contracts';
import type { Role } from '#contracts';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { Browser } from '../surface/browser.js';
import { startSystem } from './start-system.js';

jest.setTimeout(240_000);

const password = 'correct horse battery staple';
const publicUrl = 'https://mail.example.com';
const content = 'Hello\n\n[Leave]({{unsubscribeUrl}})';

/** Mails of a quoted-printable body, as a person reads them. */
const textOf = (raw: string) => raw.replace(/=\r?\n/g, '').replace(/=3D/g, '=');

describe('what waits for approval', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let bus: Bus;
  let database: pg.Client;
  let owner: Browser;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: sink.url, PUBLIC_URL: publicUrl }, { inOneProcess: true });
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: system.databaseName, name: 'spec' });
    database = new pg.Client({ connectionString: system.environment.DATABASE_URL! });
    await database.connect();
    const { token } = await bus.client(sessionRequests).issue_setup_link({}, serviceCaller('', 'spec'));
    owner = new Browser(system.url());
    const setUp = { token, email: 'olga@people.internal', name: 'Olga', password };
    expect(await owner.send('POST', '/api/session/setup', setUp)).toMatchObject({ status: 200 });
  });
  afterAll(async () => {
    await database.end();
    await bus.close();
    await system.stop();
    await sink.stop();
  });

  const mailsTo = (email: string) => sink.messages.filter(({ to }) => to === email).map(({ raw }) => textOf(raw));
  /** Invites an address, and accepts by the link of the mail. */
  const join = async (role: Role, name: string): Promise<{ page: Browser; email: string }> => {
    const email = `${name.toLowerCase()}@people.internal`;
    await owner.data('invite_member', { email, role });
    await until('the invitation is there', () => mailsTo(email).length === 1);
    const page = new Browser(system.url());
    const token = /\/invitation#([\w-]+)/.exec(mailsTo(email)[0]!)![1];
    expect(await page.send('POST', '/api/session/invitation', { token, name, password })).toMatchObject({
      status: 200,
    });
    return { page, email };
  };
  /** A campaign, with the id of its first text, and another text now. */
  const draft = async (page: Browser, subject: string) => {
    const made = { name: subject, subject: 'Former', content, contentType: 'MARKDOWN' };
    const { campaignId } = await page.data<{ campaignId: string }>('create_campaign', made);
    const { entries } = await page.data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId });
    await page.data('edit_campaign', { id: campaignId, subject });
    return { campaignId, historyId: entries.at(-1)!.id };
  };
  const ask = async (page: Browser, tool: string, input: object): Promise<string> => {
    const { body } = await page.call(tool, input);
    expect(body).toMatchObject({ error: 'CONFIRMATION_REQUIRED', approvalId: expect.stringMatching(/^apr_/) });
    return body.approvalId as string;
  };
  const readNotices = async () =>
    (await database.query<{ n: number }>('select count(*)::int as n from domain.approval_notice')).rows[0]!.n;

  it('is mailed to approvers as they chose: each with the sentence and the link, once an hour, or never', async () => {
    const editor = await join('editor', 'Edith');
    const [each, hourly, never] = [
      await join('approver', 'Eve'),
      await join('approver', 'Hans'),
      await join('approver', 'Nora'),
    ];
    expect(await hourly.page.send('POST', '/api/session/profile', { approvalMail: 'HOURLY' })).toMatchObject({
      status: 200,
    });
    expect(await never.page.send('POST', '/api/session/profile', { approvalMail: 'NEVER' })).toMatchObject({
      status: 200,
    });
    const approvals: string[] = [];
    for (const subject of ['Spring', 'Summer']) {
      const { campaignId } = await draft(editor.page, subject);
      approvals.push(await ask(editor.page, 'schedule_campaign', { campaignId, date: '2037-05-01' }));
    }
    await until('both mails are there', () => mailsTo(each.email).length === 3);
    const mails = mailsTo(each.email).slice(1);
    for (const [n, approvalId] of approvals.entries()) {
      const { approval } = await owner.data<{ approval: { message: string } }>('get_approval', { approvalId });
      const mail = mails.find((raw) => raw.includes(approvalId))!;
      expect(mail).toMatch(/^Subject: Edith asks for your approval \(.+\)\r?$/m);
      expect(mail.replace(/&#39;|&apos;/g, "'")).toContain(approval.message);
      expect(mail).toContain(`${publicUrl}/1/approvals/${approvalId}`);
      expect(mail).not.toContain(approvals[1 - n]);
    }
    expect(mailsTo(hourly.email)).toHaveLength(1);
    // As if the hour were over.
    await database.query('update domain.approval_notice set next_at = now()');
    await until('the digest is there', () => mailsTo(hourly.email).length === 2);
    await until('no mail is left to send', async () => (await readNotices()) === 0);
    const digest = mailsTo(hourly.email)[1]!;
    expect(digest).toMatch(/^Subject: 2 requests wait for your approval/m);
    for (const approvalId of approvals) expect(digest).toContain(`${publicUrl}/1/approvals/${approvalId}`);
    expect([never.email, editor.email].map((email) => mailsTo(email).length)).toEqual([1, 1]);
    expect(mailsTo(hourly.email)).toHaveLength(2);
  });

  it('includes an editor’s restore into a scheduled campaign, which is carried out once approved', async () => {
    const editor = await join('editor', 'Emil');
    const restored = await draft(editor.page, 'Autumn');
    const { campaignId } = restored;
    const subjectNow = async () =>
      (await owner.data<{ campaign: { subject: string; status: string } }>('get_campaign', { campaignId })).campaign;
    await approve(await ask(editor.page, 'schedule_campaign', { campaignId, date: '2037-05-01' }));
    const approvalId = await ask(editor.page, 'restore_campaign_history', restored);
    expect(await subjectNow()).toMatchObject({ subject: 'Autumn', status: 'SCHEDULED' });
    expect((await editor.page.call('restore_campaign_history', restored)).body.approvalId).toBe(approvalId);
    await approve(approvalId);
    expect(await subjectNow()).toMatchObject({ subject: 'Former', status: 'SCHEDULED' });
  });

  const approve = async (approvalId: string) => {
    const { approval } = await owner.data<{ approval: { contentHash: string } }>('get_approval', { approvalId });
    const seen = { approvalId, approved: true, seen: approval.contentHash };
    expect(await owner.data('decide_approval', seen)).toMatchObject({ approval: { state: 'EXECUTED' } });
  };
});
