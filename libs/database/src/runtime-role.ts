import { deriveSecret } from '#link-token';

/** The password of a runtime role; it derives from the master key, so that nothing has to store it. */
export const rolePassword = (masterKey: string, role: string): string =>
  deriveSecret(masterKey, `role:${role}`, 24).toString('base64url');

/** Connection of the service's runtime role, which owns nothing and reaches its own schema only. */
export function runtimeUrl(options: {
  ownerUrl: string;
  rolePrefix: string;
  schema: string;
  masterKey: string;
}): string {
  const role = `${options.rolePrefix}_${options.schema}`;
  const url = new URL(options.ownerUrl);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent(rolePassword(options.masterKey, role));
  return url.toString();
}

export const rolePrefixOf = (ownerUrl: string): string =>
  decodeURIComponent(new URL(ownerUrl).pathname.slice(1)) || 'tidings';
