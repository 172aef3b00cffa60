import { until } from '#testing';
import type { SmtpSink } from '#testing';
import type { Account, DashboardFixture } from './harness.js';

/** Calls a tool as the owner in a session, for what no token may do. @returns its data */
export async function callAsOwner<D>(fixture: DashboardFixture, tool: string, input: object): Promise<D> {
  const visit = await fixture.signedIn();
  const { request } = visit.page;
  const session = (await (await request.get('/api/session')).json()) as { data: { csrf: string } };
  const reply = await request.post(`/api/v2/tools/${tool}`, {
    data: input,
    headers: { 'sec-fetch-site': 'same-origin', 'tidings-csrf': session.data.csrf },
  });
  const body = (await reply.json()) as { data: D };
  if (!reply.ok()) throw new Error(`${tool}: ${reply.status()} ${JSON.stringify(body)}`);
  await visit.close();
  return body.data;
}

/** Invites an address. @param sink the relay of the system, which keeps its mails. @returns the token of the link */
export async function invite(fixture: DashboardFixture, sink: SmtpSink, email: string, role: string): Promise<string> {
  await callAsOwner(fixture, 'invite_member', { email, role });
  const mail = () => sink.messages.find(({ to, raw }) => to === email && raw.includes('/invitation'));
  await until('the invitation', () => mail() !== undefined);
  return /\/invitation#([\w-]+)/.exec(mail()!.raw.replace(/=\r?\n/g, ''))![1]!;
}

/** Invites a colleague, who accepts by the link of the mail. */
export async function joinAs(fixture: DashboardFixture, sink: SmtpSink, role: string): Promise<Account> {
  const person = { email: `${role}@people.internal`, password: 'correct horse battery' };
  const token = await invite(fixture, sink, person.email, role);
  const reply = await fetch(`${fixture.url}/api/session/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token, name: `The ${role}`, password: person.password }),
  });
  if (!reply.ok) throw new Error(`invitation: ${reply.status} ${await reply.text()}`);
  return person;
}

/** Makes a token that may not confirm its own calls. @returns its secret */
export async function makeAskingToken(fixture: DashboardFixture): Promise<string> {
  const { secret } = await callAsOwner<{ secret: string }>(fixture, 'create_api_token', {
    name: 'Agent of the letter',
    scopes: ['read', 'write', 'send'],
    selfConfirm: false,
  });
  return secret;
}

/** Calls a tool with a token, whatever the outcome. */
export async function callWith(fixture: DashboardFixture, secret: string, tool: string, input: object) {
  const reply = await fetch(`${fixture.url}/api/v2/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

/** Makes a campaign, whose sending the token asks for. */
export async function askToSend(fixture: DashboardFixture, secret: string, subject: string, content: string) {
  const { campaignId } = await fixture.call<{ campaignId: string }>('create_campaign', {
    name: subject,
    subject,
    contentType: 'MARKDOWN',
    content,
  });
  const call = { campaignId };
  const { status, body } = await callWith(fixture, secret, 'schedule_campaign', call);
  if (body.error !== 'CONFIRMATION_REQUIRED') throw new Error(`schedule_campaign: ${status} ${JSON.stringify(body)}`);
  return { call, approvalId: body.approvalId as string };
}

/** Creates an import, uploads its file and has it checked. @returns its id */
export async function checkImport(fixture: DashboardFixture, name: string, file: string): Promise<string> {
  const { import: created } = await fixture.call<{ import: { id: string } }>('create_subscriber_import', { name });
  const { id: importId } = created;
  const reply = await fetch(`${fixture.url}/api/v2/imports/${importId}/file`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${fixture.system.apiToken}`, 'content-type': 'text/csv' },
    body: file,
  });
  if (!reply.ok) throw new Error(`the upload of ${name}: ${reply.status} ${await reply.text()}`);
  await fixture.call('check_subscriber_import', { importId });
  await until('the check of the import', async () => {
    const { import: state } = await fixture.call<{ import: { state: string } }>('get_subscriber_import', { importId });
    return state.state !== 'CHECKING';
  });
  return importId;
}
