import type { PreparedSegment } from '#content';
import { needsSmtpUtf8 } from '#email-address';
import type { EmailAddress } from '#email-address';
import { campaignPartLength } from '#link-token';
import type { CampaignUrl } from '#link-token';
import { alternativeField, boundaryOf, listFields, partFields } from './compose-message.js';
import { DkimSigner } from './dkim-signer.js';
import { addressField } from './header-field.js';
import { PreparedHeader } from './prepared-header.js';
import { PreparedText } from './prepared-text.js';
import type { PreparedFilling } from './prepared-text.js';

export interface PreparedDraft {
  from: EmailAddress;
  replyTo: EmailAddress;
  /** The https address that takes the one-click POST (RFC 8058). */
  unsubscribe: CampaignUrl;
  listId: { id: string; name: string };
  feedbackId: string;
  html: readonly PreparedSegment<CampaignUrl>[];
  text: readonly PreparedSegment<CampaignUrl>[];
  /** Names the boundary between the parts, the same in all messages. */
  boundaryId: string;
  signing: { domain: string; selector: string; privateKey: string };
}

/** What differs in one message; fields are folded. */
export interface MessageFilling {
  to: string;
  subject: string;
  date: string;
  messageId: string;
  unsubscribePart: string;
  filling: Omit<PreparedFilling, 'part'> & { part: (address: CampaignUrl) => string };
  /** Whether the recipient's address needs SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  /** When it is signed; null: unsigned. */
  signedAt: Date | null;
}

/** Writes messages as `composeMessage` does, with everything constant encoded, folded and relaxed once. */
export class PreparedMessage {
  readonly #draft: PreparedDraft;
  readonly #addresses: CampaignUrl[] = [];
  readonly #text: PreparedText<CampaignUrl>;
  readonly #html: PreparedText<CampaignUrl>;
  readonly #signer: DkimSigner;
  readonly #smtpUtf8: boolean;
  readonly #alternative: { header: PreparedHeader; texts: [string, string, string] };
  readonly #htmlOnly: PreparedHeader;
  readonly #unsubscribe: { before: string; after: string };

  /** @throws Error for a key that is none, and for an address or a name that no header can hold */
  constructor(draft: PreparedDraft) {
    this.#draft = draft;
    const of = { addresses: this.#addresses, partLength: campaignPartLength };
    this.#text = new PreparedText(draft.text, { ...of, trims: true });
    this.#html = new PreparedText(draft.html, { ...of, trims: false });
    this.#signer = new DkimSigner(draft.signing);
    this.#smtpUtf8 = needsSmtpUtf8(draft.from) || needsSmtpUtf8(draft.replyTo);
    const boundary = boundaryOf(draft.boundaryId);
    const partHead = (type: 'plain' | 'html', { encoding }: PreparedText<CampaignUrl>): string =>
      `--${boundary}\r\n${partFields(type, encoding).join('\r\n')}\r\n\r\n`;
    this.#alternative = {
      header: this.#header([alternativeField(boundary)]),
      texts: [partHead('plain', this.#text), `\r\n${partHead('html', this.#html)}`, `\r\n--${boundary}--\r\n`],
    };
    this.#htmlOnly = this.#header(partFields('html', this.#html.encoding));
    // An address is one word of a field, however long: where it ends is known before it is complete.
    const [field] = this.#listFields();
    const at = field!.indexOf(draft.unsubscribe.prefix) + draft.unsubscribe.prefix.length;
    this.#unsubscribe = { before: field!.slice(0, at), after: field!.slice(at + campaignPartLength) };
  }

  /** Returns a message, one character an octet, and whether it needs SMTPUTF8. */
  write(message: MessageFilling): { raw: string; smtpUtf8: boolean } {
    const { values, shown, part } = message.filling;
    const addresses = this.#addresses;
    const filling = { values, shown, part: (number: number) => part(addresses[number]!) };
    const text = this.#text.write(filling);
    const html = this.#html.write(filling);
    const [beforeText, between, end] = this.#alternative.texts;
    const body = text === '' ? `${html}\r\n` : beforeText + text + between + html + end;
    const header = text === '' ? this.#htmlOnly : this.#alternative.header;
    const fields = [
      message.to,
      message.subject,
      message.date,
      `Message-ID: ${message.messageId}`,
      this.#unsubscribe.before + message.unsubscribePart + this.#unsubscribe.after,
    ];
    const written = header.write(fields);
    const { signedAt } = message;
    const { names } = header;
    const signed =
      signedAt === null
        ? written
        : `${this.#signer.signRelaxed({ names, covered: header.cover(fields), body }, signedAt)}\r\n${written}`;
    const smtpUtf8 = this.#smtpUtf8 || message.smtpUtf8;
    return { raw: `${smtpUtf8 ? Buffer.from(signed).toString('latin1') : signed}\r\n\r\n${body}`, smtpUtf8 };
  }

  #header(contentFields: string[]): PreparedHeader {
    const [, ...listFields] = this.#listFields();
    return new PreparedHeader([
      addressField('From', [this.#draft.from]),
      { name: 'To' },
      addressField('Reply-To', [this.#draft.replyTo]),
      { name: 'Subject' },
      { name: 'Date' },
      { name: 'Message-ID' },
      { name: 'List-Unsubscribe' },
      ...listFields,
      'MIME-Version: 1.0',
      ...contentFields,
    ]);
  }

  /** List-Unsubscribe first, with an address of the right length. */
  #listFields(): string[] {
    const { unsubscribe, listId, feedbackId } = this.#draft;
    const url = unsubscribe.prefix + 'x'.repeat(campaignPartLength);
    return listFields({ unsubscribe: { url }, listId, feedbackId });
  }
}
