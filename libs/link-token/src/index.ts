export { deriveKey, deriveSecret } from './derive-key.js';
export type { KeyPurpose } from './derive-key.js';
export { ExportTokens } from './export-tokens.js';
export type { ExportLink } from './export-tokens.js';
export { linkBase } from './link-base.js';
export type { ClickLink, LinkKind, LinkPayloads, MessageLink, ReturnPath } from './link-payload.js';
export { LinkTokens, TOKEN_LENGTH_MAX } from './link-tokens.js';
