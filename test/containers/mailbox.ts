/** A mail as /mailbox.json lists it. */
export interface CaughtMail {
  id: string;
  subject: string;
  envelope: { from: string; to: string[] };
  url: string;
}

/** Every mail that was caught, through the gateway. */
export async function caughtMails(gatewayUrl: string): Promise<CaughtMail[]> {
  const mails: CaughtMail[] = [];
  let after = '';
  do {
    const response = await fetch(`${gatewayUrl}/mailbox.json?limit=1000${after && `&after=${after}`}`);
    const page = (await response.json()) as { mails: CaughtMail[]; next: string | null };
    mails.push(...page.mails);
    after = page.next ?? '';
  } while (after);
  return mails;
}

/** The link of a mail's List-Unsubscribe header (RFC 8058 section 3.1). @throws Error when it has none */
export async function unsubscribeLink(gatewayUrl: string, { url }: CaughtMail): Promise<string> {
  const source = await (await fetch(gatewayUrl + url)).text();
  const link = /^List-Unsubscribe:[^<]*<(https?:[^>]+)>/im.exec(source)?.[1];
  if (!link) throw new Error(`${url} has no List-Unsubscribe header`);
  return link.replace(/\s+/g, '');
}
