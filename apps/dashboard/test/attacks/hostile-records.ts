import { Client } from 'pg';
import sharp from 'sharp';
import { newUuid } from '#database';
import { until } from '#testing';
import type { SmtpSink } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import { ownerPerson } from '../harness.js';
import type { DashboardFixture } from '../harness.js';
import { callAsOwner, callWith, checkImport, makeAskingToken } from '../owner-calls.js';

/** The host of every image that a planted mail names. */
export const imageHost = 'https://images.planted.example';

/** The product of the expression that markers hold: a page shows it only if something evaluated them. */
export const evaluated = String(191 * 193);

/**
 * Text of less than 255 characters that leaves an attribute and a tag, and calls `planted(field)` wherever it is read as
 * markup, script or address.
 */
export const marker = (field: string): string =>
  `"'><img src=x data-planted onerror=planted('${field}')><svg data-planted onload=planted('${field}')>` +
  `<script>planted('${field}')</script><a href=javascript:planted('${field}')>x</a>{{191*193}}`;

/** The same for names of at most 64 characters, that hold no comma or brace. */
const shortMarker = (field: string): string => `"><img data-planted src=x onerror=planted('${field}')>`;

/** A field's marker as a page shows it holds this. */
export const traceOf = (field: string): string => `planted('${field}')`;

const hostileHtml = (field: string): string =>
  `<p style="color:#123456">Hello ${field}</p><img src="${imageHost}/${field}.png" width="20" height="20" alt="" onload="planted('${field}')">` +
  `<iframe srcdoc="<script>parent.planted('${field}')</script>"></iframe><object data="${imageHost}/o"></object>` +
  `<form action="https://elsewhere.example"><button formaction="javascript:planted('${field}')">go</button></form>` +
  `<meta http-equiv="refresh" content="0;url=https://elsewhere.example"><base href="https://elsewhere.example/">` +
  `<link rel="stylesheet" href="https://elsewhere.example/a.css"><style>@import url(https://elsewhere.example/b.css);</style>` +
  `<math><mtext><table><mglyph><style><img src=x onerror=planted('${field}')></style></mglyph></table></mtext></math>` +
  marker(field);

/** The same without addresses that the API refuses in content. */
const checkedHtml = (field: string): string => hostileHtml(field).replace(/<a href=javascript:.*?<\/a>/gu, '');

const markdown = (field: string): string =>
  `# ${checkedHtml(field)}\n\n![x](${imageHost}/${field}.png)\n\n${checkedHtml(field)}\n\n\`\`\`\n${marker(field)}\n\`\`\`\n\n[Unsubscribe]({{unsubscribeUrl}})`;

const document = (field: string): { type: string; content: object[] } => ({
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: marker(field) }] },
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: marker(field), marks: [{ type: 'link', attrs: { href: 'https://{{website}}' } }] },
      ],
    },
    { type: 'html', attrs: { content: checkedHtml(field) } },
    { type: 'image', attrs: { src: `${imageHost}/${field}.png`, alt: marker(field), title: marker(field) } },
  ],
});

/** What stands where after planting. */
export interface Planted {
  /** Every field that holds a marker. */
  fields: string[];
  /** Ids of records for each parameter of `screen-paths.ts`. */
  records: Record<string, string[]>;
}

const people = {
  reached: 'reached@people.internal',
  bounced: 'bounced@people.internal',
  banned: 'banned@people.internal',
  left: 'left@people.internal',
};

/** Plants a marker in every field that callers other than the reader of the pages can write. */
export async function plant(fixture: DashboardFixture, sink: SmtpSink): Promise<Planted> {
  const fields: string[] = [];
  const mark = (field: string): string => {
    fields.push(field);
    return marker(field);
  };
  const markShort = (field: string): string => {
    fields.push(field);
    return shortMarker(field);
  };
  const marked = <T>(field: string, make: (field: string) => T): T => {
    fields.push(field);
    return make(field);
  };

  sink.behave = (to) =>
    to === people.bounced
      ? { do: 'refuse', at: 'RCPT', reply: `550 5.1.1 ${marked('smtp-reply', marker)}` }
      : { do: 'accept' };

  await callAsOwner(fixture, 'update_organization', {
    name: mark('organization-name'),
    address: mark('organization-address'),
    sendDelaySeconds: 0,
  });
  await plantMember(fixture, sink, mark('member-name'));
  await callAsOwner(fixture, 'create_api_token', { name: mark('token-name'), scopes: ['read'] });

  const tagName = markShort('tag');
  await fixture.call('create_custom_field', { name: markShort('field') });
  for (const email of Object.values(people)) {
    await fixture.call('add_subscriber', {
      email,
      name: email === people.reached ? mark('person') : marker('person'),
      phone: null,
      tags: [tagName],
      fields: { [shortMarker('field')]: marker('value'), website: `javascript:planted('value')` },
    });
  }
  fields.push('value');
  await fixture.call('create_event', {
    email: people.reached,
    eventType: 'SUBSCRIBER_PAYMENT',
    amount: 1,
    metadata: { [mark('event-key')]: mark('event-value') },
  });
  await fixture.call('unsubscribe', { email: people.left, reason: mark('unsubscribe-reason') });
  await callAsOwner(fixture, 'set_subscriber_ban', { email: people.banned, banned: true, reason: mark('ban-reason') });

  const { segmentId } = await fixture.call<{ segmentId: string }>('create_segment', {
    name: mark('segment'),
    filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tagName] }],
  });

  const senderId = await plantSender(fixture, mark('sender'));
  const { snippetId } = await fixture.call<{ snippetId: string }>('create_email_snippet', {
    name: `x${markShort('snippet-name')}`,
    description: mark('snippet-description'),
    content: marked('snippet-content', document),
  });
  const picture = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  await fixture.call('upload_image_file', {
    content: picture.toString('base64'),
    name: mark('image-name'),
    description: mark('image-description'),
  });
  const workflowId = await plantWorkflow(fixture, mark, markShort);
  await fixture.call('update_writing_style', {
    name: mark('style-name'),
    persona: mark('style-persona'),
    rules: mark('style-rules'),
  });
  await callAsOwner(fixture, 'create_organization', { name: mark('second-organization') });
  const importId = await plantImport(fixture, mark);

  const draft = async (of: string, content: object) => {
    const { campaignId } = await fixture.call<{ campaignId: string }>('create_campaign', {
      name: mark(`${of}-name`),
      subject: mark(`${of}-subject`),
      preview: mark(`${of}-preview`),
      senderId,
      ...content,
    });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tagName] }];
    await fixture.call('update_campaign_filters', { campaignId, filters });
    return campaignId;
  };
  const withSnippet = marked('letter-content', document);
  withSnippet.content.push({ type: 'snippet', attrs: { snippetId } });
  const letter = await draft('letter', { contentType: 'MAILY', content: withSnippet });
  await fixture.call('edit_campaign', { id: letter, name: `2${marker('letter-name')}` });
  const source = await draft('source', { contentType: 'MARKDOWN', content: marked('source-content', markdown) });
  const sent = await draft('sent', { contentType: 'MARKDOWN', content: marked('sent-content', markdown) });
  await new ToolsClient(fixture.url, fixture.system.apiToken).data('schedule_campaign', { campaignId: sent });

  const approvals = await plantApprovals(fixture, { mark, marked, source });
  await plantDeadLetter(fixture, mark('dead-letter-error'), mark('dead-letter-event'));
  await until('the sending of the campaign', async () => {
    const { campaign } = await fixture.call<{ campaign: { status: string } }>('get_campaign', { campaignId: sent });
    return campaign.status === 'SENT';
  });
  const messageIds = await plantMessages(fixture, mark);
  const subscriberIds = await Promise.all(
    Object.values(people).map(async (email) => {
      const { subscriber } = await fixture.call<{ subscriber: { id: string } }>('get_subscriber', { email });
      return subscriber.id;
    }),
  );
  return {
    fields: [...new Set(fields)],
    records: {
      subscriberId: subscriberIds,
      segmentId: [segmentId],
      snippetId: [snippetId],
      campaignId: [letter, source, sent],
      approvalId: approvals,
      importId: [importId],
      messageId: messageIds,
      workflowId: [workflowId],
    },
  };
}

/** An import whose file, columns, values and refused rows are hostile. */
async function plantImport(fixture: DashboardFixture, mark: (field: string) => string): Promise<string> {
  const row = (...cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const file = [
    row('email', mark('import-column'), 'tags', 'status'),
    row('imported@people.internal', mark('import-value'), shortMarker('tag'), 'subscribed'),
    row(mark('import-address'), 'x', '', ''),
    row('refused@people.internal', 'x', '', mark('import-status')),
  ].join('\n');
  return await checkImport(fixture, mark('import-name'), file);
}

/** Adds a member whose name is hostile. */
async function plantMember(fixture: DashboardFixture, sink: SmtpSink, name: string): Promise<void> {
  const email = 'mallory@people.internal';
  await callAsOwner(fixture, 'invite_member', { email: 'invited@people.internal', role: 'viewer' });
  await callAsOwner(fixture, 'invite_member', { email, role: 'editor' });
  const mail = () => sink.messages.find(({ to }) => to === email);
  await until('the mail of the invitation', () => mail() !== undefined);
  const token = /\/invitation#([\w-]+)/.exec(textOf(mail()!.raw))![1];
  const reply = await fetch(`${fixture.url}/api/session/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'user-agent': name },
    body: JSON.stringify({ token, name, password: ownerPerson.password }),
  });
  if (!reply.ok) throw new Error(`invitation: ${reply.status} ${await reply.text()}`);
}

/** A mail in quoted-printable, as text. */
const textOf = (raw: string): string => raw.replace(/=\r?\n/g, '').replace(/=3D/g, '=');

/** Makes a published workflow whose names, mail and branches are hostile, in a group of such a name. @returns its id */
async function plantWorkflow(
  fixture: DashboardFixture,
  mark: (field: string) => string,
  markShort: (field: string) => string,
): Promise<string> {
  interface Made {
    workflowId: string;
    workflow: { updatedAt: string };
  }
  const { workflowId, workflow } = await fixture.call<Made>('create_workflow', { name: mark('workflow') });
  const branch = markShort('workflow-branch');
  const configured = await fixture.call<Made>('configure_workflow_draft', {
    workflowId,
    expectedUpdatedAt: workflow.updatedAt,
    successGoals: [{ name: mark('workflow-goal'), event: { kind: 'EMAIL_CLICKED' } }],
    steps: [
      { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
      {
        id: 'mail',
        type: 'EMAIL',
        config: { subject: mark('workflow-subject'), contentType: 'MARKDOWN', content: markdown('workflow-mail') },
      },
      {
        id: 'split',
        type: 'SPLIT',
        config: {
          branches: [
            { name: branch, weight: 1 },
            { name: 'B', weight: 1 },
          ],
        },
      },
      { id: 'wait', type: 'WAIT', name: mark('workflow-step'), config: { amount: 1, unit: 'DAYS' } },
      { id: 'end', type: 'EXIT', config: { reason: mark('workflow-exit') } },
    ],
    edges: [
      { source: 'start', target: 'mail' },
      { source: 'mail', target: 'split' },
      { source: 'split', target: 'wait', branch },
      { source: 'split', target: 'end', branch: 'B' },
    ],
  });
  const { groupId } = await fixture.call<{ groupId: string }>('create_workflow_group', {
    name: mark('workflow-group'),
  });
  const { updatedAt: expectedUpdatedAt } = configured.workflow;
  await fixture.call('set_workflow_group', { workflowId, groupId, expectedUpdatedAt });
  await new ToolsClient(fixture.url, fixture.system.apiToken).data('publish_workflow', { workflowId });
  // Its names are shown once more, as those of what was simulated.
  await fixture.call('simulate_workflow', { workflowId });
  return workflowId;
}

/** Makes a sender, and the default of the campaigns. @returns its id */
async function plantSender(fixture: DashboardFixture, displayName: string): Promise<string> {
  const { domains } = await fixture.call<{ domains: { id: string; status: string }[] }>('list_domains');
  const { sender } = await fixture.call<{ sender: { id: string } }>('create_email_sender', {
    displayName,
    localPart: 'planted',
    domainId: domains.find(({ status }) => status === 'VERIFIED')!.id,
  });
  return sender.id;
}

/** Calls that wait for approval: a campaign, and mail whose HTML is sent unchanged; a third is rejected with a note. */
async function plantApprovals(
  fixture: DashboardFixture,
  plan: {
    mark: (field: string) => string;
    marked: <T>(field: string, make: (field: string) => T) => T;
    source: string;
  },
): Promise<string[]> {
  const secret = await makeAskingToken(fixture);
  const ask = async (tool: string, input: object): Promise<string> => {
    const { status, body } = await callWith(fixture, secret, tool, input);
    if (body.error !== 'CONFIRMATION_REQUIRED') throw new Error(`${tool}: ${status} ${JSON.stringify(body)}`);
    return body.approvalId as string;
  };
  const { senders } = await fixture.call<{ senders: { email: string }[] }>('get_email_senders');
  const mail = (field: string) => ({
    from: senders[0]!.email,
    to: people.reached,
    subject: plan.mark(`${field}-subject`),
    html: plan.marked(`${field}-html`, hostileHtml),
  });
  const approvals = [
    await ask('schedule_campaign', { campaignId: plan.source }),
    await ask('send_email', mail('asked')),
    await ask('send_email', mail('rejected')),
  ];
  await callAsOwner(fixture, 'decide_approval', {
    approvalId: approvals[2],
    approved: false,
    note: plan.mark('approval-note'),
  });
  return approvals;
}

/** A mail that is sent unchanged, beside those of the campaign. @returns the ids of some messages, with the refused one */
async function plantMessages(fixture: DashboardFixture, mark: (field: string) => string): Promise<string[]> {
  const { senders } = await fixture.call<{ senders: { email: string }[] }>('get_email_senders');
  await new ToolsClient(fixture.url, fixture.system.apiToken).data('send_email', {
    from: senders[0]!.email,
    to: people.left,
    subject: mark('message-subject'),
    html: hostileHtml('message-html'),
    text: mark('message-text'),
  });
  const listed = async (search: object) =>
    (await fixture.call<{ messages: { messageId: string }[] }>('list_messages', search)).messages;
  await until('the refused mail', async () => (await listed({ status: 'FAILED' })).length > 0);
  return [...(await listed({ query: 'message-subject' })), ...(await listed({ status: 'FAILED' }))].map(
    ({ messageId }) => messageId,
  );
}

/** Puts an event aside whose error and payload are hostile. */
async function plantDeadLetter(fixture: DashboardFixture, error: string, reason: string): Promise<void> {
  const client = new Client({
    connectionString: process.env.DATABASE_URL!.replace(/\/[^/?]*(?=\?|$)/, `/${fixture.system.databaseName}`),
  });
  await client.connect();
  try {
    const event = {
      id: newUuid(),
      name: 'message.complained',
      organizationId: fixture.system.organizationId,
      data: { reason },
    };
    await client.query(
      `insert into subscriber.dead_letter (dead_letter_id, consumer, event, error, attempts)
       values ($1, 'subscriber', $2, $3, 5)`,
      [newUuid(), event, error],
    );
  } finally {
    await client.end();
  }
}
