/**
 * Where an organization's links begin: at its verified web domain, where it has one, else at this installation's address,
 * which also says whether links are https.
 */
export const linkBase = (publicUrl: string, hostname: string | null): string =>
  hostname === null ? publicUrl : `${new URL(publicUrl).protocol}//${hostname}`;
