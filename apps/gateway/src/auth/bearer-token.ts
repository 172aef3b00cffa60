import { isPossibleApiToken, ToolError } from '#tool-call';

/** Longer than any token; longer ones are refused without hashing. */
const tokenLengthMax = 512;

/** Reads the API token of an Authorization header (RFC 6750 section 2.1); a malformed one is refused here. */
export function bearerToken(header: string | undefined): string {
  const match = header === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(header);
  if (!match) throw new ToolError('TOKEN_MISSING', {});
  const token = match[1]!;
  if (token.length > tokenLengthMax || !isPossibleApiToken(token)) throw new ToolError('TOKEN_REFUSED', {});
  return token;
}
