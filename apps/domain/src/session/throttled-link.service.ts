import { ToolError } from '#tool-call';
import type { InTransaction } from '../repositories.js';

/** Runs the work that a link asks for; links that are over count as failures of the address. @throws ToolError SIGN_IN_SLOWED */
export async function throttledByLink<T>(
  inTransaction: InTransaction,
  { ip }: { ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const attempt = { emailKey: null, ip, device: null };
  await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
  const result = await work().catch(async (error: unknown) => {
    if (!(error instanceof ToolError && error.reason === 'LINK_OVER'))
      await inTransaction(({ signInCounts }) => signInCounts.succeed(attempt));
    throw error;
  });
  await inTransaction(({ signInCounts }) => signInCounts.succeed(attempt));
  return result;
}

/** The address of a page that takes a link's secret in the fragment, and so in no log. */
export const linkUrl = (publicUrl: string, page: string, secret: string): string => `${publicUrl}/${page}#${secret}`;
