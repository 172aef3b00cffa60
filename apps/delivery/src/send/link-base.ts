/**
 * Where an organization's links begin: at its verified web domain, else at this installation's address, which also says
 * whether links are https.
 */
export function linkBase(publicUrl: string, webDomains: readonly { hostname: string; status: string }[]): string {
  const host = webDomains.find(({ status }) => status === 'VERIFIED')?.hostname;
  return host === undefined ? publicUrl : `${new URL(publicUrl).protocol}//${host}`;
}
