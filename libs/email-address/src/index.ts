export { isDisposableDomain } from './disposable-domain.js';
export { emailKey, needsSmtpUtf8, toAsciiDomain, wireAddress } from './email-address.js';
export type { EmailAddress } from './email-address.js';
export { isFixtureAddress } from './fixture-address.js';
export { parseAddress } from './parse-address.js';
export type { ParsedAddress } from './parse-address.js';
export { isRoleAddress } from './role-address.js';
