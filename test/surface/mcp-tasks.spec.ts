import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import type { TestSystem } from '#testing';
import { ToolsClient } from '../e2e/client.js';
import { startSystem } from '../e2e/start-system.js';
import { McpClients } from './mcp-client.js';
import { ScriptedAgent } from './scripted-agent.js';

type WithId<K extends string> = Record<K, string>;
interface Workflow {
  workflow: { id: string; updatedAt: string; status: string };
}

const vip = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['VIP'] }];

/** Each task builds on the ones before, as a person would give them one after the other. */
describe('an agent that sees only names and descriptions', () => {
  let sink: SmtpSink;
  let system: TestSystem;
  let client: ToolsClient;
  let agent: ScriptedAgent;
  const clients = new McpClients(() => system.url());
  /** The newsletter and the automation that the later tasks are about. */
  let campaignId: string;
  let workflowId: string;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    system = await startSystem({ SMTP_URL: sink.url });
    client = new ToolsClient(system.url(), system.apiToken);
    agent = new ScriptedAgent(await clients.connect({ token: system.apiToken }));
  }, 120_000);
  afterAll(async () => {
    process.stdout.write(`${agent.transcript.join('\n')}\n`);
    await clients.close();
    await system.stop();
    await sink.stop();
  });

  /** The addresses that the mail server took a mail for which has this text. */
  /** Decodes quoted-printable (RFC 2045 6.7) in a whole message. */
  const decoded = (raw: string) =>
    raw.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const takenFor = (text: string) =>
    sink.messages.filter(({ raw }) => decoded(raw).includes(text)).map(({ to }) => to.split('@')[0]!);
  const subscriber = async (email: string) =>
    (
      await client.data<{ subscriber: { id: string; status: string; tags: { name: string }[] } }>('get_subscriber', {
        email,
      })
    ).subscriber;

  it('puts a person on the list, with a label', async () => {
    agent.begin('1. Put Grace on our list and label her VIP.');
    await agent.do({
      want: 'put a new person on our list',
      choose: /^Creates a subscriber/,
      give: { email: 'grace@people.internal', name: 'Grace Hopper', tags: ['VIP'] },
    });
    expect(await subscriber('grace@people.internal')).toMatchObject({ status: 'SUBSCRIBED', tags: [{ name: 'VIP' }] });
    agent.note('grace@people.internal is SUBSCRIBED with the tag VIP');
  });

  it('loads a spreadsheet', async () => {
    agent.begin('2. Load these three people from my spreadsheet.');
    const subscribers = ['ada', 'lin', 'noor'].map((name) => ({
      email: `${name}@people.internal`,
      name,
      tags: ['VIP'],
    }));
    await agent.do({
      want: 'load a spreadsheet of people',
      choose: /subscribers in one call/,
      give: { subscribers },
    });
    expect(await client.data('count_subscribers', { filters: vip })).toEqual({ total: 4 });
    agent.note('4 subscribers have the tag VIP');
  });

  it('takes a person off the list', async () => {
    agent.begin('3. Noor does not want our mail any more.');
    await agent.do({
      want: 'someone does not want mail from us any more',
      choose: /^Unsubscribes/,
      give: { email: 'noor@people.internal', reason: 'asked by phone' },
    });
    expect(await subscriber('noor@people.internal')).toMatchObject({ status: 'UNSUBSCRIBED' });
    agent.note('noor@people.internal is UNSUBSCRIBED');
  });

  it('adds a column and gives it another name', async () => {
    agent.begin('4. Add a column "comp" for everyone; no, call it "company".');
    const { customField } = await agent.do<{ customField: { id: string } }>({
      want: 'add an extra column to our contacts',
      choose: /^Creates a custom field/,
      give: { name: 'comp' },
    });
    await agent.do({
      want: 'give the extra column another name',
      choose: /^Renames a custom field/,
      give: { fieldId: customField.id, name: 'company' },
    });
    const fields = await client.data<{ customFields: { name: string }[] }>('get_custom_fields', {});
    expect(fields.customFields.map(({ name }) => name)).toContain('company');
    agent.note('the custom field is named company');
  });

  it('saves an audience', async () => {
    agent.begin('5. Save everyone labelled VIP as an audience, and say how many they are.');
    const { examples } = await agent.do<{ examples: { type: string; tagNames?: string[] }[] }>({
      want: 'by what criteria can I choose people',
      choose: /^Lists all filter types/,
    });
    const example = examples.find(({ type }) => type === 'TAG')!;
    const made = await agent.do<{ segmentId: string; subscribersCount: number }>({
      want: 'save a group of people as an audience',
      choose: /^Creates a segment/,
      give: { name: 'Best customers', filters: [{ ...example, tagNames: ['VIP'] }] },
    });
    expect(made.subscribersCount).toBe(4);
    expect(await client.data('get_segment', { segmentId: made.segmentId })).toMatchObject({ subscribersCount: 4 });
    agent.note('the segment Best customers has 4 subscribers');
  });

  it('writes a newsletter and previews it', async () => {
    agent.begin('6. Write a newsletter that greets people by name, and show me how Grace sees it.');
    const { variables } = await agent.do<{ variables: { name: string; syntax: string }[] }>({
      want: 'placeholder for the first name in a mail',
      choose: /^Lists the variables/,
    });
    const firstName = variables.find(({ name }) => name === 'firstName')!.syntax;
    const link = variables.find(({ name }) => name === 'unsubscribeUrl')!.syntax;
    ({ campaignId } = await agent.do<WithId<'campaignId'>>({
      want: 'write a new newsletter',
      choose: /^Creates a DRAFT campaign/,
      give: {
        name: 'Spring',
        subject: 'Spring is here',
        contentType: 'MARKDOWN',
        content: `Hello ${firstName},\n\nspring is here.\n\n[Unsubscribe](${link})`,
      },
    }));
    const grace = await agent.do<{ subscriber: { id: string } }>({
      want: 'look up one person by email address',
      choose: /^Returns one subscriber/,
      give: { email: 'grace@people.internal' },
    });
    const { text } = await agent.do<{ text: string }>({
      want: 'show what the newsletter looks like for one person',
      choose: /^Renders the final output/,
      give: { campaignId, subscriberId: grace.subscriber.id, format: 'text' },
    });
    expect(text).toContain('Hello Grace,');
    expect(await client.data('get_campaign', { campaignId })).toMatchObject({
      campaign: { subject: 'Spring is here' },
    });
    agent.note('the draft Spring renders with "Hello Grace,"');
  });

  it('undoes a change', async () => {
    agent.begin('7. Make the subject shorter. No, undo that.');
    await agent.do({
      want: 'change the subject line of a newsletter',
      choose: /^Updates the metadata of a DRAFT campaign/,
      give: { id: campaignId, subject: 'Spring' },
    });
    const { entries } = await agent.do<{ entries: { id: string; subject: string }[] }>({
      want: 'earlier versions of the newsletter',
      choose: /^Lists the saved states/,
      give: { campaignId },
    });
    await agent.do({
      want: 'go back to an earlier version of the newsletter',
      choose: /^Restores subject and content/,
      give: { campaignId, historyId: entries.find(({ subject }) => subject === 'Spring is here')!.id },
    });
    expect(await client.data('get_campaign', { campaignId })).toMatchObject({
      campaign: { subject: 'Spring is here' },
    });
    agent.note('the subject is "Spring is here" again');
  });

  it('sends the newsletter to some', async () => {
    agent.begin('8. Send it now, to the VIPs only, and tell me when it is out.');
    await agent.do({
      want: 'choose who receives the newsletter',
      choose: /^Replaces the recipient filters/,
      give: { campaignId, filters: vip },
    });
    await agent.do({
      want: 'send the newsletter now',
      choose: /^Schedules a DRAFT campaign/,
      give: { campaignId },
    });
    let sent = 0;
    await until('the campaign is out', async () => {
      const progress = await client.data<{ status: string; sent: number }>('get_campaign_progress', { campaignId });
      sent = progress.sent;
      return progress.status === 'SENT';
    });
    await agent.do({ want: 'is the newsletter out yet', choose: /^Returns the progress/, give: { campaignId } });
    expect(sent).toBe(3);
    expect(takenFor('Subject: Spring is here').sort()).toEqual(['ada', 'grace', 'lin']);
    agent.note('the mail server took 3 messages; Noor, who is UNSUBSCRIBED, got none');
  });

  it('builds an automation and makes it live', async () => {
    agent.begin('9. Everyone who gets the label customer shall have a welcome mail the next day.');
    const { markdown } = await agent.do<{ markdown: string }>({
      want: 'instructions for building an automation',
      choose: /^Returns documentation/,
      give: { type: 'workflow' },
    });
    // The page has what the agent gives below.
    for (const part of ['TAG_ADDED and TAG_REMOVED (`tags?`', '`{amount, unit}`', 'contentType']) {
      expect(markdown).toContain(part);
    }
    await agent.do({
      want: 'make sure that a label exists',
      choose: /creates the missing ones/,
      give: { names: ['customer'] },
    });
    const { workflow } = await agent.do<Workflow>({
      want: 'set up a new automation',
      choose: /^Creates an empty DRAFT workflow/,
      give: { name: 'Welcome' },
    });
    workflowId = workflow.id;
    const email = { subject: 'Welcome', contentType: 'MARKDOWN', content: 'Welcome, {{firstName}}.' };
    await agent.do({
      want: 'put the steps into the automation: trigger, wait, mail',
      choose: /steps with inline email content/,
      give: {
        workflowId,
        expectedUpdatedAt: workflow.updatedAt,
        steps: [
          { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: ['customer'] } },
          { id: 'pause', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
          { id: 'mail', type: 'EMAIL', config: email },
        ],
        edges: [
          { source: 'start', target: 'pause' },
          { source: 'pause', target: 'mail' },
        ],
      },
    });
    await agent.do({ want: 'make the automation live', choose: /publishes it as a new/, give: { workflowId } });
    expect(await client.data('get_workflow', { workflowId })).toMatchObject({ workflow: { status: 'ACTIVE' } });
    agent.note('the workflow Welcome is ACTIVE');
  });

  it('sends a person through it without the wait', async () => {
    agent.begin('10. Start it for Ada, and do not make her wait.');
    const ada = { workflowId, email: 'ada@people.internal' };
    await agent.do({
      want: 'start the automation for one person',
      choose: /^Starts a run of an ACTIVE workflow for one/,
      give: ada,
    });
    await until('Ada waits', async () => {
      const { runs } = await client.data<{ runs: { status: string }[] }>('get_subscriber_workflow_runs', ada);
      return runs[0]?.status === 'WAITING';
    });
    await agent.do({
      want: 'skip the waiting time of one person in the automation',
      choose: /^Ends one WAIT/,
      give: ada,
    });
    await until('the mail arrives', () => takenFor('Welcome, ada.').includes('ada'));
    agent.note('Ada has the mail "Welcome"');
  });

  it('sends a receipt', async () => {
    agent.begin('11. Send Lin the receipt for order A-1001.');
    const { senders } = await agent.do<{ senders: { email: string }[] }>({
      want: 'which from addresses can I use',
      choose: /from-addresses/,
    });
    await agent.do({
      want: 'send a receipt to one customer',
      choose: /^Sends one transactional email/,
      give: {
        from: senders[0]!.email,
        to: 'lin@people.internal',
        subject: 'Your receipt A-1001',
        html: '<p>Thank you for your order.</p>',
      },
    });
    await until('it arrives', () => takenFor('Subject: Your receipt A-1001').includes('lin'));
    agent.note('the mail server took "Your receipt A-1001" for Lin');
  });

  it('makes a file of all people', async () => {
    agent.begin('12. Give me a file of all our people.');
    const { exportId } = await agent.do<WithId<'exportId'>>({
      want: 'big file of all our contacts',
      choose: /^Starts an export/,
      give: {},
    });
    await until('the file is written', async () => {
      return (await client.data<{ status: string }>('get_subscriber_export', { exportId })).status === 'DONE';
    });
    const { downloadUrl } = await agent.do<WithId<'downloadUrl'>>({
      want: 'is the file ready to download',
      choose: /^Returns the status of an export/,
      give: { exportId },
    });
    const { pathname, search } = new URL(downloadUrl);
    const csv = await (await fetch(`${system.url()}${pathname}${search}`)).text();
    expect(csv.split('\r\n').filter((line) => line.includes('@people.internal'))).toHaveLength(4);
    agent.note('the file has 4 people');
  });
});
