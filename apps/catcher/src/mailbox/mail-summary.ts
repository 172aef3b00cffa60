import PostalMime from 'postal-mime';
import type { Address, Email } from 'postal-mime';

export interface MailSummary {
  from: string;
  to: string;
  subject: string;
}

const written = (address: Address): string => {
  if (address.group) return `${address.name}: ${address.group.map(written).join(', ')};`;
  return address.name ? `${address.name} <${address.address}>` : address.address;
};

/** Parses a mail or its header alone; null when nesting or size exceeds the parser's limits. */
export const parseMail = async (content: Buffer): Promise<Email | null> => {
  try {
    return await PostalMime.parse(content, { maxNestingDepth: 50 });
  } catch {
    return null;
  }
};

/** Returns the fields for the list; unreadable ones are empty. */
export const summarize = (email: Email | null): MailSummary => ({
  from: email?.from ? written(email.from) : '',
  to: [...(email?.to ?? []), ...(email?.cc ?? [])].map(written).join(', '),
  subject: email?.subject ?? '',
});
