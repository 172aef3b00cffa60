import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SmtpSink, until } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import { describeInBrowser } from '../harness.js';
import type { Account } from '../harness.js';
import { JobTable, jobs } from '../job-table.js';
import { askToSend, joinAs, makeAskingToken } from '../owner-calls.js';
import { makeWorkflow } from '../screens/workflow-sample.js';

let sink: SmtpSink;
const environment = async () => {
  sink = await SmtpSink.start({});
  return { SMTP_URL: sink.url };
};
const table = new JobTable();

/** Subscribers by tag: who gets several campaigns, since the recipient guard passes five messages in ten minutes. */
const sizes = { few: 3, many: 9, held: 4, nearly: 4 };

/** A year whose days lie ahead of every clock. */
const year = new Date().getUTCFullYear() + 1;

/** Two new subscribers and one without an address. */
const listFile = (of: string) => ({
  name: `${of}.csv`,
  mimeType: 'text/csv',
  buffer: Buffer.from(
    `email,name,City\nimported-a-${of}@people.internal,A,Rome\nimported-b-${of}@people.internal,B,Oslo\n,C,Kyiv\n`,
  ),
});

describeInBrowser({ name: 'the jobs of people', environment }, (fixture) => {
  let client: ToolsClient;
  let secret: string;

  beforeAll(async () => {
    await fixture().setUp();
    client = new ToolsClient(fixture().url, fixture().system.apiToken);
    await fixture().call('import_subscribers', {
      subscribers: Object.entries(sizes).flatMap(([tag, size]) =>
        Array.from({ length: size }, (_, n) => ({
          email: `${tag}${n}@people.internal`,
          tags: [tag],
          ...(tag === 'few' && n === 0 && { name: 'Ada Lovelace', fields: { city: 'London' } }),
        })),
      ),
    });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['few'] }];
    await fixture().call('create_segment', { name: 'The few', filters });
    secret = await makeAskingToken(fixture());
  });

  afterAll(async () => {
    process.stdout.write(`\n${table.text}\n`);
    await sink.stop();
  });

  /** Makes a campaign to the subscribers of a tag and sends it, now or in a year. */
  const send = async (tag: keyof typeof sizes, name: string, at: object = {}): Promise<string> => {
    const { campaignId } = await client.data<{ campaignId: string }>('create_campaign', { name, subject: name });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: [tag] }];
    await client.data('update_campaign_filters', { campaignId, filters });
    await client.data('schedule_campaign', { campaignId, ...at });
    return campaignId;
  };

  /** Sends a campaign whose mails the relay takes only once `release` is called. */
  const sendHeld = async (name: string) => {
    const held: (() => void)[] = [];
    sink.behave = () => ({ do: 'wait', until: new Promise<void>((answer) => held.push(answer)) });
    const campaignId = await send('held', name);
    return {
      release: async () => {
        const { paused } = await fixture().call<{ paused: boolean }>('get_campaign_progress', { campaignId });
        if (paused) await client.data('resume_campaign', { campaignId });
        sink.behave = () => ({ do: 'accept' });
        held.forEach((answer) => answer());
      },
    };
  };

  /** Sends a campaign that does not reach one recipient. */
  const sendNearlyAll = async (name: string): Promise<void> => {
    sink.behave = (to) =>
      to.startsWith('nearly1@') ? { do: 'refuse', at: 'RCPT', reply: '552 5.2.2 Mailbox full' } : { do: 'accept' };
    const campaignId = await send('nearly', name);
    await until('the refusal', async () => {
      const { failed } = await fixture().call<{ failed: number }>('get_campaign_progress', { campaignId });
      return failed === 1;
    });
    sink.behave = () => ({ do: 'accept' });
  };

  const askFor = (subject: string) =>
    askToSend(fixture(), secret, subject, 'Hello.\n\n[Unsubscribe]({{unsubscribeUrl}})');

  const home = async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1');
    await visit.settled();
    return visit;
  };

  describe('with a pointer', () => {
    it('1: home says without a click what needs a person, what is being sent and what comes next', async () => {
      await askFor('Asked for');
      await send('many', 'Later', { date: `${year}-01-01`, hours: 9, minutes: 0, timezone: 'UTC' });
      const { release } = await sendHeld('Being sent');
      const visit = await home();
      await visit.link('1 request waits for approval').waitFor();
      await visit.link('Being sent').waitFor();
      await visit.page.getByText('of 4').waitFor();
      await visit.heading('The next seven days').waitFor();
      await visit.page.getByRole('region', { name: 'Last 30 days' }).getByText('20', { exact: true }).waitFor();
      table.noteClicks('well', visit);
      expect(visit.clicks).toBe(jobs.well.clicks);
      await release();
      await visit.close();
    });

    it('2: finds a subscriber, and all that happened', async () => {
      const visit = await home();
      await visit.click(visit.link(/^Subscribers$/));
      await visit.type(visit.page.getByRole('searchbox'), 'few0@');
      await visit.page.getByRole('row').nth(2).waitFor({ state: 'detached' });
      await visit.click(visit.link('few0@people.internal'));
      await visit.heading('Ada Lovelace').waitFor();
      await visit.page.getByText('Set city to “London”').waitFor();
      await visit.page.getByText('Got the tag few').waitFor();
      await visit.page.getByText('All mail reaches this subscriber.').waitFor();
      table.noteClicks('find', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.find.clicks);
      await visit.close();
    });

    it('3: writes a campaign, sends it to a segment, and takes it back', async () => {
      const visit = await home();
      await visit.click(visit.button('New campaign'));
      await visit.type(visit.page.getByLabel('Subject', { exact: true }), 'Spring is here');
      await visit.page.getByRole('textbox', { name: 'Body of the mail' }).focus();
      await visit.write('Seeds are in the shop. ');
      await visit.page.frameLocator('iframe').getByText('Seeds are in the shop.').waitFor();
      await visit.click(visit.link('Audience'));
      await visit.click(visit.field('The few'));
      await visit.click(visit.link('Review'));
      await visit.page.getByText('3 subscribers get it').waitFor();
      await visit.click(visit.button('Send now'));
      await visit.click(visit.button('Send to 3'));
      await visit.page.getByText(/^Sending starts in/).waitFor();
      table.noteClicks('send', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.send.clicks);
      const accepted = sink.accepted;
      await visit.click(visit.page.getByRole('button', { name: 'Undo', exact: true }));
      await visit.button('Send now').waitFor();
      const { campaigns } = await fixture().call<{ campaigns: { subject: string; status: string }[] }>(
        'list_campaigns',
      );
      expect(campaigns.find(({ subject }) => subject === 'Spring is here')).toMatchObject({ status: 'DRAFT' });
      expect(sink.accepted).toBe(accepted);
      await visit.close();
    });

    it('4: pauses a campaign from home', async () => {
      const { release } = await sendHeld('Held back');
      const visit = await home();
      await visit.click(visit.button('Pause'));
      await visit.page.getByText('Held back is paused').first().waitFor();
      table.noteClicks('stop', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.stop.clicks);
      await release();
      await visit.close();
    });

    it('4: pauses a campaign from its row, and resumes it after a question', async () => {
      const { release } = await sendHeld('Held in its row');
      const visit = await fixture().signedIn();
      await visit.open('/1/campaigns');
      await visit.click(
        visit.page.getByRole('row', { name: /Held in its row/ }).getByRole('button', { name: 'Pause' }),
      );
      await visit.page.getByText('Held in its row is paused.').first().waitFor();
      await visit.click(visit.link('Held in its row'));
      await visit.click(visit.button('Resume'));
      await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Resume' }));
      await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
      await visit.button('Pause').waitFor();
      await release();
      await visit.close();
    });

    it('5: shows who did not get a campaign and why, and retries them', async () => {
      await sendNearlyAll('Nearly all');
      const visit = await home();
      await visit.click(visit.link('Nearly all'));
      await visit.click(visit.button(/^Failed/));
      await visit.page.getByText('Mailbox full', { exact: true }).waitFor();
      await visit.page.getByText('552 5.2.2 Mailbox full').waitFor();
      await visit.click(visit.button('Retry 1 recipient'));
      await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Retry 1 recipient' }));
      await visit.page.getByText('1 recipient is retried.').first().waitFor();
      table.noteClicks('retry', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.retry.clicks);
      await visit.button(/^Delivered 4/).waitFor();
      await visit.close();
    });

    it('6: imports a list from a file', async () => {
      const visit = await home();
      await visit.click(visit.link(/^Subscribers$/));
      await visit.click(visit.page.getByRole('main').getByRole('link', { name: 'Import' }));
      const asked = visit.page.waitForEvent('filechooser');
      await visit.click(visit.field('Choose a CSV file'));
      await (await asked).setFiles(listFile('pointer'));
      await visit.field('Column City becomes').waitFor();
      await visit.click(visit.button('Check'));
      await visit.page.getByText('creates 2 subscribers and updates 0.').waitFor();
      await visit.click(visit.button('Import 2 subscribers'));
      await visit.heading('The import is done').waitFor();
      table.noteClicks('import', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.import.clicks);
      await visit.close();
    });

    it('7: builds a segment, and sees who is in it before it is saved', async () => {
      const visit = await home();
      await visit.click(visit.link('Segments'));
      await visit.click(visit.link('New segment').first());
      await visit.heading('New segment').waitFor();
      await visit.type(visit.field('Name'), 'Many');
      // A platform's own choice is one click for a person.
      visit.clicks++;
      await visit.field('Field').selectOption({ label: 'Tags' });
      visit.clicks++;
      await visit.field('Operator').selectOption({ label: 'include any of' });
      await visit.click(visit.page.getByRole('combobox', { name: 'tag' }));
      await visit.write('many');
      await visit.page.getByRole('option', { name: 'many' }).waitFor();
      await visit.press('Enter');
      await visit.page.getByText('Tags include any of many').waitFor();
      await visit.page.getByText('9 subscribers match').waitFor();
      await visit.click(visit.button('Save'));
      await visit.heading('Many').waitFor();
      table.noteClicks('segment', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.segment.clicks);
      await visit.close();
    });

    it('8: changes a wait, sees who waits there, and publishes', async () => {
      await makeWorkflow(fixture(), 'Welcome series', 3);
      const visit = await home();
      await visit.click(visit.link('Workflows'));
      await visit.click(visit.link('Welcome series'));
      await visit.click(visit.button(/^Wait 2 days.*3 waiting/));
      await visit.type(visit.field('How long'), '5');
      await visit.button(/^Wait 5 days/).waitFor();
      await visit.click(visit.button('Publish'));
      await visit.page.getByText(/3 runs in progress stay on the version they began with/).waitFor();
      await visit.click(visit.page.getByRole('dialog').getByRole('button', { name: 'Publish version 2' }));
      await visit.page.getByText('Version 2 is published.').first().waitFor();
      table.noteClicks('automate', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.automate.clicks);
      await visit.close();
    });

    it('9: approves what a token asks for, after the mail was seen', async () => {
      const visit = await home();
      await visit.click(visit.link('Approvals'));
      await visit.page.frameLocator('iframe').getByText('Hello.').waitFor();
      await visit.click(visit.button('Approve and do it'));
      await visit.page
        .getByText(/^Approved\. Sending starts in/)
        .first()
        .waitFor();
      table.noteClicks('decide', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.decide.clicks);
      await visit.close();
    });

    it('10: adds a domain, and has its records looked up', async () => {
      const visit = await home();
      await visit.click(visit.link(/^Settings$/));
      await visit.click(visit.link(/^Domains$/));
      await visit.type(visit.field('Add a domain'), 'news.people.example');
      await visit.click(visit.button('Add'));
      await visit.heading('news.people.example').waitFor();
      const card = visit.page.getByRole('region', { name: 'news.people.example' });
      await visit.click(card.getByRole('button', { name: 'Check again' }));
      await visit.page
        .getByText(/^Checked /)
        .first()
        .waitFor();
      table.noteClicks('domain', visit);
      expect(visit.clicks).toBeLessThanOrEqual(jobs.domain.clicks);
      await visit.close();
    });
  });

  describe('with the keyboard alone', () => {
    // Another person: the limit of calls a minute is each user's own.
    let person: Account;
    beforeAll(async () => {
      person = await joinAs(fixture(), sink, 'approver');
    });
    const atKeyboard = async () => {
      const visit = await fixture().signedIn({ person });
      await visit.refusePointer();
      await visit.open('/1');
      await visit.settled();
      return visit;
    };

    it('1: home needs no key', async () => {
      const visit = await atKeyboard();
      await visit.heading('Needs you').waitFor();
      table.noteKeys('well', visit);
      expect(visit.pressed).toEqual([]);
      await visit.close();
    });

    it('2: finds a subscriber', async () => {
      const visit = await atKeyboard();
      await visit.press('/');
      await visit.write('few0@');
      await visit.page.getByRole('option', { name: /few0@people.internal/, selected: true }).waitFor();
      await visit.press('Enter');
      await visit.heading('Ada Lovelace').waitFor();
      table.noteKeys('find', visit);
      expect(visit.pressed).toEqual(['/', 'Enter']);
      await visit.close();
    });

    it('3: writes a campaign and sends it to a segment', async () => {
      const visit = await atKeyboard();
      await visit.press('c');
      await visit.tabTo(visit.page.getByLabel('Subject', { exact: true }));
      await visit.press('Control+a');
      await visit.write('Summer is here');
      await visit.tabTo(visit.page.getByRole('textbox', { name: 'Body of the mail' }));
      await visit.write('Roses are in the shop. ');
      await visit.page.frameLocator('iframe').getByText('Roses are in the shop.').waitFor();
      await visit.press('Control+Enter');
      await visit.tabTo(visit.field('The few'));
      await visit.press('Space');
      await visit.press('Control+Enter');
      await visit.page.getByText('3 subscribers get it').waitFor();
      await visit.press('Control+Enter');
      await visit.page.locator('button:focus', { hasText: 'Send to 3' }).waitFor();
      await visit.press('Enter');
      await visit.page.getByText(/^Sending starts in/).waitFor();
      table.noteKeys('send', visit);
      await visit.press('z');
      await visit.button('Send now').waitFor();
      await visit.close();
    });

    it('4: pauses a campaign', async () => {
      const { release } = await sendHeld('Held by keys');
      const visit = await atKeyboard();
      await visit.press('g c');
      await visit.heading('Campaigns').waitFor();
      await visit.link('Held by keys').waitFor();
      await visit.press('Enter');
      await visit.heading(/^Held by keys/).waitFor();
      await visit.button('Pause').waitFor();
      await visit.press('p');
      await visit.button('Resume').waitFor();
      table.noteKeys('stop', visit);
      expect(visit.pressed).toEqual(['g', 'c', 'Enter', 'p']);
      await release();
      await visit.close();
    });

    it('5: retries who did not get a campaign', async () => {
      await sendNearlyAll('Nearly all by keys');
      const visit = await atKeyboard();
      await visit.press('g c');
      await visit.heading('Campaigns').waitFor();
      await visit.link('Nearly all by keys').waitFor();
      await visit.press('Enter');
      await visit.button(/^Failed/).waitFor();
      await visit.press('r');
      await visit.page.getByText('552 5.2.2 Mailbox full').waitFor();
      await visit.page.locator('dialog button:focus', { hasText: 'Retry 1 recipient' }).waitFor();
      await visit.press('Enter');
      await visit.page.getByText('1 recipient is retried.').first().waitFor();
      table.noteKeys('retry', visit);
      expect(visit.pressed).toEqual(['g', 'c', 'Enter', 'r', 'Enter']);
      await visit.close();
    });

    it('6: imports a list from a file', async () => {
      const visit = await atKeyboard();
      await visit.press('Control+k');
      await visit.write('import');
      await visit.page.getByRole('option', { name: /^Go to Import/, selected: true }).waitFor();
      await visit.press('Enter');
      await visit.heading('Import subscribers').waitFor();
      await visit.tabTo(visit.field('Choose a CSV file'));
      const asked = visit.page.waitForEvent('filechooser');
      // Chromium must know first that the test chooses the file.
      await visit.painted();
      await visit.press('Enter');
      await (await asked).setFiles(listFile('keys'));
      await visit.tabTo(visit.field('Column City becomes'));
      await visit.press('Control+Enter');
      await visit.button('Import 2 subscribers').waitFor();
      await visit.press('a');
      await visit.page.locator('button:focus', { hasText: 'Import 2 subscribers' }).waitFor();
      await visit.press('Enter');
      await visit.heading('The import is done').waitFor();
      table.noteKeys('import', visit);
      await visit.close();
    });

    it('7: builds a segment', async () => {
      const visit = await atKeyboard();
      await visit.press('g s');
      await visit.heading('Segments').waitFor();
      await visit.press('n');
      await visit.heading('New segment').waitFor();
      await visit.tabTo(visit.field('Name'));
      await visit.write('Few by keys');
      await visit.tabTo(visit.field('Field'));
      await visit.write('Tags');
      await visit.tabTo(visit.field('Operator'));
      await visit.write('include any');
      await visit.tabTo(visit.page.getByRole('combobox', { name: 'tag' }));
      await visit.write('few');
      await visit.page.getByRole('option', { name: 'few' }).waitFor();
      await visit.press('Enter');
      await visit.page.getByText('3 subscribers match').waitFor();
      await visit.press('Control+Enter');
      await visit.heading('Few by keys').waitFor();
      table.noteKeys('segment', visit);
      await visit.close();
    });

    it('8: changes a wait and publishes', async () => {
      await makeWorkflow(fixture(), 'Series by keys', 2);
      const visit = await atKeyboard();
      await visit.press('g w');
      await visit.heading('Workflows').waitFor();
      await visit.link('Series by keys').waitFor();
      await visit.press('Enter');
      await visit.heading(/^Series by keys/).waitFor();
      await visit.tabTo(visit.button(/^Wait 2 days/));
      await visit.press('Enter');
      await visit.tabTo(visit.field('How long'));
      await visit.press('Control+a');
      await visit.write('6');
      await visit.button(/^Wait 6 days/).waitFor();
      await visit.press('Control+Enter');
      await visit.page.locator('dialog button:focus', { hasText: 'Publish version 2' }).waitFor();
      await visit.press('Enter');
      await visit.page.getByText('Version 2 is published.').first().waitFor();
      table.noteKeys('automate', visit);
      await visit.close();
    });

    it('9: approves what a token asks for', async () => {
      await askFor('Asked for by keys');
      const visit = await atKeyboard();
      await visit.press('g a');
      await visit.page.frameLocator('iframe').getByText('Hello.').waitFor();
      await visit.press('a');
      await visit.page.locator('button:focus', { hasText: 'Approve and do it' }).waitFor();
      await visit.press('Enter');
      await visit.page
        .getByText(/^Approved\. Sending starts in/)
        .first()
        .waitFor();
      table.noteKeys('decide', visit);
      expect(visit.pressed).toEqual(['g', 'a', 'a', 'Enter']);
      await visit.close();
    });

    it('10: adds a domain, and has its records looked up', async () => {
      const visit = await atKeyboard();
      await visit.press('Control+k');
      await visit.write('domains');
      await visit.page.getByRole('option', { name: /^Go to Domains/, selected: true }).waitFor();
      await visit.press('Enter');
      await visit.heading(/^Domains$/).waitFor();
      await visit.tabTo(visit.field('Add a domain'));
      await visit.write('keys.people.example');
      await visit.press('Enter');
      const card = visit.page.getByRole('region', { name: 'keys.people.example' });
      await visit.tabTo(card.getByRole('button', { name: 'Check again' }));
      await visit.press('Enter');
      await card.getByText(/^Checked /).waitFor();
      table.noteKeys('domain', visit);
      await visit.close();
    });
  });
});
