import { describe, expect, it } from '@jest/globals';
import { makeApiToken } from '#tool-call';
import { domainEnvironment } from './config.js';

const { BOOTSTRAP_TOKEN, SANDBOX_DOMAIN_SUFFIX } = domainEnvironment.shape;
const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: string) =>
  schema.safeParse(value).success;

describe('the configuration of the domain service', () => {
  it('takes any literal token that a header can carry, but none whose checksum would be refused later', () => {
    for (const token of ['', 'x', 'tdg_dev', makeApiToken()]) expect(takes(BOOTSTRAP_TOKEN, token)).toBe(true);
    for (const token of ['two words', 'é', `tdg_${'a'.repeat(40)}`]) expect(takes(BOOTSTRAP_TOKEN, token)).toBe(false);
  });

  it('takes a sandbox name that is a domain and no domain of test addresses', () => {
    expect(takes(SANDBOX_DOMAIN_SUFFIX, 'sandbox.acme.internal')).toBe(true);
    for (const name of ['example.com', 'mail.test', 'Acme.internal', 'a b', '', 'münchen.internal']) {
      expect(takes(SANDBOX_DOMAIN_SUFFIX, name)).toBe(false);
    }
  });
});
