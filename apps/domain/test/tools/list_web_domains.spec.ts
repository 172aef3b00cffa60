import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Tenant } from '../../../../test/harness.js';
import { DomainDesk } from '../domain-desk.js';

describe('list_web_domains', () => {
  let desk: DomainDesk;
  let ours: Tenant;
  beforeAll(async () => {
    desk = await DomainDesk.open();
    ours = await desk.organization('Ours');
  });
  afterAll(() => desk.close());

  it('lists those of the organization, the oldest first', async () => {
    expect(await desk.tidings.data('list_web_domains', {}, ours)).toEqual({ webDomains: [], total: 0 });
    const made = [
      await desk.addWebDomain('links.acme.example', ours),
      await desk.addWebDomain('pages.acme.example', ours),
    ];
    expect(await desk.tidings.data('list_web_domains', {}, ours)).toEqual({ webDomains: made, total: 2 });
  });

  it('shows nothing of another organization', async () => {
    const theirs = await desk.organization('Theirs');
    expect(await desk.tidings.data('list_web_domains', {}, theirs)).toEqual({ webDomains: [], total: 0 });
  });
});
