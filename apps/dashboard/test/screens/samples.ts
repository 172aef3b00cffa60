import { until } from '#testing';
import { ToolsClient } from '../../../../test/e2e/client.js';
import sharp from 'sharp';
import type { DashboardFixture } from '../harness.js';
import { askToSend, callAsOwner, checkImport, makeAskingToken } from '../owner-calls.js';
import { makeWorkflow } from './workflow-sample.js';

/** Pages outside of an organization, by the name of their pictures. */
export const outsideAddresses: Record<string, { address: string; signedIn: boolean }> = {
  'sign-in': { address: '/sign-in', signedIn: false },
  'signed-in': { address: '/signed-in', signedIn: false },
  setup: { address: '/setup#token', signedIn: false },
  invitation: { address: '/invitation', signedIn: false },
  forgot: { address: '/forgot', signedIn: false },
  reset: { address: '/reset#token', signedIn: false },
  profile: { address: '/account/profile', signedIn: true },
  security: { address: '/account/security', signedIn: true },
  sessions: { address: '/account/sessions', signedIn: true },
  installation: { address: '/installation', signedIn: true },
  'dead-letters': { address: '/installation/dead-letters', signedIn: true },
  organizations: { address: '/installation/organizations', signedIn: true },
  'not-found': { address: '/1/nowhere', signedIn: true },
};

/** Long, German and Arabic names, that show whether texts are cut and columns hold. */
const names = [
  'Ada Lovelace',
  'Jürgen Müller-Lüdenscheidt',
  'محمد بن عبد الله',
  'Wolfgang Donaudampfschifffahrtsgesellschaftskapitän',
  undefined,
  'Grace Hopper',
];
const tags = ['customer', 'newsletter', 'early access program 2026', 'Stammkundschaft'];

/** The address whose mail the relay of the screens refuses. */
export const refusedAddress = 'gone@people.internal';

/** Rows that an import takes, changes and refuses. */
const file = [
  'Email,Full name,City,Member since,Tags',
  'ada@example.org,Ada Lovelace,London,2026-01-15,"customer, newsletter"',
  ...names.map((name, n) => `new.${n}@a-rather-long-host-name.example.org,${name ?? ''},Kyiv,2026-03-0${n + 1},`),
  'no address at all,Wolfgang,Wien,2026-02-02,',
  ',Grace,Arlington,2026-02-03,',
].join('\n');

/**
 * Makes records that every screen can show.
 * @returns the id of one record for each parameter of `screen-paths.ts`
 */
export async function makeSamples(fixture: DashboardFixture): Promise<Record<string, string>> {
  const subscribers = Array.from({ length: 100 }, (_, n) => ({
    email: n === 0 ? 'ada@example.org' : `person.number.${n}@a-rather-long-host-name.example.org`,
    ...(names[n % names.length] !== undefined && { name: names[n % names.length] }),
    tags: tags.filter((_tag, place) => (n + place) % 3 === 0),
  }));
  await fixture.call('import_subscribers', { subscribers });
  for (const n of [3, 8, 21]) await fixture.call('unsubscribe', { email: subscribers[n]!.email });
  const { subscriber } = await fixture.call<{ subscriber: { id: string } }>('get_subscriber', {
    email: 'ada@example.org',
  });
  const { segmentId } = await fixture.call<{ segmentId: string }>('create_segment', {
    name: 'Customers that came to us through the early access program',
    filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer', tags[2]] }],
  });
  const { approvalId } = await askToSend(
    fixture,
    await makeAskingToken(fixture),
    'Frühlingsneuigkeiten aus dem Gewächshaus der Stadtgärtnerei',
    '# Hello\n\nThe seeds are here.\n\n[Unsubscribe]({{unsubscribeUrl}})',
  );
  await callAsOwner(fixture, 'invite_member', { email: 'grace@a-rather-long-host-name.example.org', role: 'editor' });
  await fixture.call('create_domain', { domain: 'news.a-rather-long-host-name.example.org' });
  const { snippetId } = await fixture.call<{ snippetId: string }>('create_email_snippet', {
    name: 'Unterschrift der Stadtgärtnerei mit Öffnungszeiten und Anfahrt',
    description: 'How every letter ends, with the opening hours',
    content: {
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [
            { type: 'text', text: 'Bis bald, ' },
            { type: 'variable', attrs: { id: 'firstName', fallback: 'liebe Gartenfreundin' } },
          ],
        },
        { type: 'button', attrs: { text: 'Öffnungszeiten', url: 'https://example.org/' } },
      ],
    },
  });
  await makeImages(fixture);
  const { campaignId } = await fixture.call<{ campaignId: string }>('create_campaign', {
    name: 'Frühlingsneuigkeiten: alles, was in den Monaten März, April und Mai wächst',
    subject: 'Hello {{firstName | "there"}}, spring is here',
    preview: 'Seeds, tools and a walk',
  });
  const importId = await checkImport(fixture, 'Mitgliederverzeichnis der Stadtgärtnerei, Stand November.csv', file);
  await fixture.call('create_web_domain', { hostname: 'links.a-rather-long-host-name.example.org' });
  await fixture.call('update_writing_style', {
    name: 'Stadtgärtnerei',
    persona: 'A gardener who shares what she learns, friendly and without haste',
    rules: 'Short sentences. No exclamation marks.',
  });
  const messageId = await sendSamples(fixture);
  const workflowId = await makeWorkflow(fixture, 'Willkommensserie für neue Leserinnen und Leser des Gartenbriefs');
  return {
    importId,
    messageId,
    subscriberId: subscriber.id,
    segmentId,
    approvalId,
    campaignId,
    snippetId,
    workflowId,
  };
}

/** Sends a mail that arrives and one that is refused. @returns the id of the refused one */
async function sendSamples(fixture: DashboardFixture): Promise<string> {
  const client = new ToolsClient(fixture.url, fixture.system.apiToken);
  const { senders } = await fixture.call<{ senders: { email: string }[] }>('get_email_senders');
  for (const to of ['reader@people.internal', refusedAddress])
    await client.data('send_email', {
      from: senders[0]!.email,
      to,
      subject: 'Ihre Bestellung aus dem Gewächshaus der Stadtgärtnerei ist unterwegs',
      html: '<h1>Thank you</h1><p>The seeds are on their way and arrive on Friday.</p>',
      text: 'Thank you. The seeds are on their way and arrive on Friday.',
    });
  let found: { messageId: string }[] = [];
  await until('the refusal of the sample', async () => {
    ({ messages: found } = await fixture.call('list_messages', { status: 'FAILED' }));
    return found.length > 0;
  });
  return found[0]!.messageId;
}

/** Images of different shapes: a wide one with a long name, a tall one, and one without a description. */
async function makeImages(fixture: DashboardFixture): Promise<void> {
  const shapes = [
    {
      width: 1200,
      height: 400,
      colour: '#18794e',
      name: 'Kopfbild der Frühlingsausgabe mit Gewächshaus und Schriftzug',
    },
    { width: 300, height: 900, colour: '#8f5300', name: 'Sunflower', description: 'A sunflower as high as a house' },
    { width: 64, height: 64, colour: '#1f5fd0', name: 'logo', description: 'The logo of the garden' },
  ];
  for (const { width, height, colour, ...text } of shapes) {
    const file = await sharp({ create: { width, height, channels: 3, background: colour } })
      .png()
      .toBuffer();
    await fixture.call('upload_image_file', { ...text, content: file.toString('base64') });
  }
}
