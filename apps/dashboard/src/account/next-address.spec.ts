import { expect, it } from '@jest/globals';
import { isServedElsewhere, nextAddress } from './next-address.js';

it('leads to an address of this server, and else to the start', () => {
  expect(nextAddress('/1/campaigns?status=SENT')).toBe('/1/campaigns?status=SENT');
  const others = ['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', undefined, 7];
  expect(others.map(nextAddress)).toEqual(others.map(() => '/'));
});

it('knows the pages that the dashboard does not have', () => {
  expect(['/mailbox', '/mailbox?to=ada', '/docs#list_tags'].every(isServedElsewhere)).toBe(true);
  expect(['/', '/1', '/1/mailbox', '/mailboxes'].some(isServedElsewhere)).toBe(false);
});
