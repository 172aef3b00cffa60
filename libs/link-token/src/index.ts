export { deriveKey, deriveSecret, fingerprintOf } from './derive-key.js';
export type { KeyPurpose } from './derive-key.js';
export { ExportTokens } from './export-tokens.js';
export type { ExportLink } from './export-tokens.js';
export { linkBase } from './link-base.js';
export type { ClickLink, LinkKind, LinkPayloads, MessageLink, ReturnPath } from './link-payload.js';
export { LinkTokens } from './link-tokens.js';
export { LinkUrls } from './link-urls.js';
export type { AuthoredLink } from './link-urls.js';
