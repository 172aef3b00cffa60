import { describe, expect, it } from '@jest/globals';
import { openFixture } from '../domain-fixture.js';

describe('list_web_domains', () => {
  const spec = openFixture();

  it('lists those of the organization, the oldest first', async () => {
    expect(await spec.desk.harness.data('list_web_domains', {}, spec.ours)).toEqual({ webDomains: [], total: 0 });
    const made = [
      await spec.desk.addWebDomain('links.acme.example', spec.ours),
      await spec.desk.addWebDomain('pages.acme.example', spec.ours),
    ];
    expect(await spec.desk.harness.data('list_web_domains', {}, spec.ours)).toEqual({ webDomains: made, total: 2 });
  });

  it('shows nothing of another organization', async () => {
    const otherTenant = await spec.desk.organization('Theirs');
    expect(await spec.desk.harness.data('list_web_domains', {}, otherTenant)).toEqual({ webDomains: [], total: 0 });
  });
});
