import { beforeAll, describe, expect, it } from '@jest/globals';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Variable {
  name: string;
  syntax: string;
  group: string;
  example: string;
}

describe('get_available_variables', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    const fields = {
      city: 'Paris',
      'shoe size': '39',
      Größe: 'M',
      'a|b': 'no variable',
      'addTag:x': 'no',
      'Snippet: y': 'no',
    };
    const ada = { email: 'ada@example.com', name: 'Ada Lovelace', phone: '+33 1 23 45 67 89', fields };
    await fixture.harness.data('add_subscriber', ada, fixture.tenant);
    await fixture.snippet('Signature', doc(paragraph('Your team')));
    await fixture.harness.data(
      'archive_email_snippet',
      { id: await fixture.snippet('Old one', doc(paragraph('Old'))) },
      fixture.tenant,
    );
  });

  const variables = async (tenant = fixture.tenant) =>
    (await fixture.harness.data<{ variables: Variable[] }>('get_available_variables', {}, tenant)).variables;

  it('lists built-in, organization, custom-field and snippet variables, and the links that change tags', async () => {
    const names = (await variables()).map(({ name, group }) => `${group} ${name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['built-in firstName', 'built-in unsubscribeUrl', 'organization org-name', 'custom-field city'],
        ...['custom-field shoe size', 'custom-field Größe', 'snippet Signature', 'link addTag', 'link removeTag'],
      ]),
    );
    expect(names).not.toContain('snippet Old one');
    for (const name of ['a|b', 'addTag:x', 'Snippet: y']) expect(names).not.toContain(`custom-field ${name}`);
  });

  it('returns exactly the variables of the renderer: each has a value, or is empty if there is none', async () => {
    const { subscribers } = await fixture.harness.data<{ subscribers: { id: string }[] }>(
      'list_subscribers',
      {},
      fixture.tenant,
    );
    const listed = (await variables()).filter(({ group }) => group !== 'link');
    const content = listed.map(({ name, syntax }) => `- ${name}: =${syntax}=`).join('\n');
    const { id } = await fixture.draft({ contentType: 'MARKDOWN', content });
    const { text } = await fixture.harness.data<{ text: string }>(
      'render_campaign',
      { campaignId: id, subscriberId: subscribers[0]!.id, format: 'TEXT' },
      fixture.tenant,
    );
    expect(text).not.toMatch(/\{\{/);
    expect(text).toContain('firstName: =Ada=');
    expect(text).toContain('shoe size: =39=');
    expect(text).toContain('org-name: =Ours=');
    expect(text).toContain('Your team');
    expect(text).toMatch(/unsubscribeUrl: =\S+=/);
    for (const name of ['email', 'name', 'phone', 'currentYear', 'city', 'Größe']) {
      expect(text).toMatch(new RegExp(`${name}: =[^=]+=`));
    }
  });

  it('gives examples that a campaign takes as they are', async () => {
    const content = (await variables()).map(({ example }) => example).join('\n\n');
    const outcome = await fixture.harness.call(
      'create_campaign',
      { subject: 'Examples', contentType: 'MARKDOWN', content },
      fixture.tenant,
    );
    expect(outcome).toMatchObject({ ok: true });
  });

  it('shows nothing of another organization', async () => {
    const otherTenant = JSON.stringify(await variables(fixture.otherTenant));
    expect(otherTenant).not.toMatch(/Signature|shoe size/);
  });
});
