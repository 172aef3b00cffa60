import { example, page, sample } from '../doc-page.js';

const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });
const unsubscribe = {
  type: 'footer',
  content: [{ type: 'text', text: 'Unsubscribe', marks: [{ type: 'link', attrs: { href: '{{unsubscribeUrl}}' } }] }],
};

export const campaignPages = [
  page('campaign', 'Writing and sending a campaign', 'The whole way of a campaign, from draft to analytics.', [
    'A campaign is one email to many subscribers. It starts as DRAFT, and only a DRAFT can be changed. The way is: read the writing style, create, choose recipients, render, test, schedule, watch.',
    '## 1. Create',
    'Call get_writing_style first: it returns how this organization writes. MARKDOWN is the quickest content type; MAILY documents allow buttons, images, sections and conditional blocks (docs page documents).',
    example('create_campaign', {
      name: 'Spring news',
      subject: "Spring is here, {{firstName | 'friend'}}",
      preview: 'Three things to plant this week',
      contentType: 'MARKDOWN',
      content:
        "Hi {{firstName | 'there'}},\n\n# Three things to plant\n\n1. Peas\n2. Radishes\n3. Spinach\n\n[Read more](https://example.com/spring)\n\n[Unsubscribe]({{unsubscribeUrl}})",
    }),
    'The answer holds campaignId and warnings. Warnings refuse nothing, but read them: each has a code, a message and the path of the node.',
    'The same as a MAILY document:',
    example('create_campaign', {
      name: 'Spring offer',
      subject: 'An offer for spring',
      content: {
        type: 'doc',
        content: [
          { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Spring offer' }] },
          paragraph("Hi {{firstName | 'there'}}, everything for the garden is 20% off this week."),
          { type: 'button', attrs: { text: 'See the offer', url: 'https://example.com/offer', alignment: 'center' } },
          unsubscribe,
        ],
      },
    }),
    'Left out, content is a template with a greeting and an unsubscribe link. Left out, senderId is the default sender.',
    '## 2. Edit',
    'edit_campaign is the only tool that changes a campaign. Metadata (name, subject, preview, senderId, replyTo) can be given alone or together with content or operations; content and operations exclude each other. The docs page editing has every operation.',
    example('edit_campaign', { id: '{campaignId}', subject: 'Spring is here', preview: null }),
    '## 3. Choose recipients',
    'Without filters a campaign goes to every SUBSCRIBED subscriber. The answer has recipientCount. See the skill filters.',
    example('update_campaign_filters', {
      campaignId: '{campaignId}',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }],
    }),
    '## 4. Look at it',
    'Without subscriberId all conditional blocks show, and a variable without value shows its fallback or its name in brackets.',
    example('render_campaign', { campaignId: '{campaignId}', format: 'text' }),
    example('send_test_email', { campaignId: '{campaignId}', emails: ['ada@example.com'] }),
    '## 5. Send',
    'The skill sending has dates, time zones and the confirmation. Without a date the campaign goes out now.',
    example('schedule_campaign', {
      campaignId: '{campaignId}',
      date: '2037-05-01',
      hours: 9,
      timezone: 'Europe/Paris',
    }),
    '## 6. Watch',
    example('get_campaign_progress', { campaignId: '{campaignId}' }),
    example('get_campaign_analytics', { campaignId: '{campaignId}' }),
    '## When something is refused',
    '- UNSUBSCRIBE_LINK_MISSING: add a link whose href is {{unsubscribeUrl}} and schedule again.\n- CAMPAIGN_NOT_DRAFT: cancel_campaign_schedule takes a SCHEDULED campaign back; anything later is frozen, so duplicate_campaign.\n- CONTENT_INVALID: issues names each node by its path.\n- SENDER_DOMAIN_UNVERIFIED: choose another sender from get_email_senders.',
  ]),
  page('snippets', 'Snippets', 'Pieces of content that many campaigns share.', [
    'A snippet is a MAILY document with a name and an id (snp_…). What changes in it changes in every campaign that holds it and is not sent yet. A snippet holds no other snippet. Named within a line it is its texts, links and images; conditional blocks, tables and HTML need a paragraph of their own.',
    example('create_email_snippet', {
      name: 'Opening hours',
      description: 'Hours and address of the shop',
      content: { type: 'doc', content: [paragraph('Open Monday to Friday, 9 to 17.')] },
    }),
    'There are two ways to use one: a node, or a variable in any text (subject and preview too).',
    example('edit_campaign', {
      id: '{campaignId}',
      operations: [{ op: 'append_node', node: { type: 'snippet', attrs: { snippetId: '{snippetId}' } } }],
    }),
    example('create_campaign', {
      subject: 'Where to find us',
      contentType: 'MARKDOWN',
      content: '{{snippet:Greeting}}\n\nSee you soon.\n\n[Unsubscribe]({{unsubscribeUrl}})',
    }),
    'Before changing one, see who holds it: usedBy lists the campaigns.',
    example('get_email_snippet', { id: '{snippetId}' }),
    'content replaces the whole snippet.',
    example('update_email_snippet', {
      id: '{snippetId}',
      content: { type: 'doc', content: [paragraph('Open every day, 9 to 18.')] },
    }),
    'Archiving asks for confirmation and hides the snippet from the list; campaigns that hold it keep working. Names are unique without case, and a name that drafts use as {{snippet:NAME}} cannot be changed.',
    example('archive_email_snippet', { id: '{snippetId}' }),
  ]),
  page('templates', 'Templates', 'Keep a campaign as the pattern for the next ones.', [
    'There is no separate kind of record for templates: keep a DRAFT campaign as the pattern, duplicate it for each mailing, and put what repeats (header, signature, address) into snippets.',
    example('create_campaign', {
      name: 'Template: monthly letter',
      subject: 'News of the month',
      content: {
        type: 'doc',
        content: [
          { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'TITLE' }] },
          paragraph("Hi {{firstName | 'there'}},"),
          paragraph('INTRODUCTION'),
          { type: 'button', attrs: { text: 'Read more', url: 'https://example.com/' } },
          { type: 'snippet', attrs: { snippetId: '{snippetId}' } },
          unsubscribe,
        ],
      },
    }),
    'A copy takes content, sender, reply address and filters along, and is always a DRAFT.',
    example('duplicate_campaign', { campaignId: '{campaignId}', newName: 'May letter' }),
    'Then fill it in by replacing the marks:',
    sample({
      id: 'the id of the copy',
      operations: [
        { op: 'replace_text', search: 'TITLE', replace: 'May in the garden' },
        { op: 'replace_text', search: 'INTRODUCTION', replace: 'This month we plant beans.' },
      ],
    }),
    'Find the pattern again by its name; archived campaigns are left out of the list unless status asks for them.',
    example('list_campaigns', { query: 'Template:' }),
  ]),
  page('sending', 'Scheduling and sending', 'Dates, time zones, confirmation, progress, and taking back.', [
    'schedule_campaign needs: a DRAFT, a sender on a VERIFIED domain, an unsubscribe link in the content (a footer node or snippet counts), and at least one recipient when it goes out now.',
    '## When',
    '- no date: now\n- date only: that day’s midnight in timezone\n- date and hours (and minutes): that wall-clock time in timezone\n- date as a full instant with offset, such as 2037-05-01T09:00:00+02:00: exactly then, without hours and minutes\n\ntimezone is an IANA name and Europe/Paris unless given. A wall-clock time that summer time leaves out moves forward by the gap; one that comes twice means the first. A past time is refused.',
    example('schedule_campaign', {
      campaignId: '{campaignId}',
      date: '2037-05-01',
      hours: 18,
      minutes: 30,
      timezone: 'America/New_York',
    }),
    example('schedule_campaign', { campaignId: '{campaignId}', date: '2037-05-01T09:00:00+02:00' }),
    '## Confirmation',
    'The first call answers error CONFIRMATION_REQUIRED with a message that says what will happen and to how many, and a five-digit confirmationCode. Repeat exactly the same call with confirmationCode within five minutes. Show the message to the person you work for before you confirm.',
    '## Before it starts',
    'While it is SCHEDULED, it can be returned to DRAFT:',
    example('cancel_campaign_schedule', { campaignId: '{scheduledCampaignId}' }),
    '## While it is SENDING',
    'The recipients are fixed when the sending starts. percent, pending, sent, failed and skipped (with reasons) show the progress; waitingFor says why the send waits, if it does. It ends SENT, or FAILED with a reason in failure.',
    example('get_campaign_progress', { campaignId: '{campaignId}' }),
    'pause_campaign, resume_campaign and stop_campaign take effect within a second. list_campaign_recipients returns who did not receive the campaign and why; retry_campaign tries again where that makes sense.',
    '## Tests',
    'Addresses at example.com, example.net, example.org, test.com, *.test and *.invalid are test addresses: everything happens but the sending, and no limit counts them. A real mailbox gets at most 5 messages in 10 minutes and 20 in 24 hours.',
    example('send_test_email', { campaignId: '{campaignId}', emails: ['ada@example.com', 'bob@example.org'] }),
  ]),
];
