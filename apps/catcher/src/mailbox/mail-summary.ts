import PostalMime from 'postal-mime';
import type { Address, Email } from 'postal-mime';

/** What a mail says of itself in its header, decoded for reading. */
export interface MailSummary {
  from: string;
  to: string;
  subject: string;
}

const written = (address: Address): string => {
  if (address.group) return `${address.name}: ${address.group.map(written).join(', ')};`;
  return address.name ? `${address.name} <${address.address}>` : address.address;
};

/** Takes a mail, or its header alone, apart; null when it nests or swells beyond what a parser should follow. */
export const parseMail = async (content: Buffer): Promise<Email | null> => {
  try {
    return await PostalMime.parse(content, { maxNestingDepth: 50 });
  } catch {
    return null;
  }
};

/** Gives the lines of a list; what cannot be read stays empty. */
export const summarize = (email: Email | null): MailSummary => ({
  from: email?.from ? written(email.from) : '',
  to: [...(email?.to ?? []), ...(email?.cc ?? [])].map(written).join(', '),
  subject: email?.subject ?? '',
});
