import { prepareMail, renderMail } from '#content';
import type { MailTemplate, PreparedMail, RenderInput } from '#content';
import type { Filter, PageRecipient } from '#contracts';
import { needsSmtpUtf8, toAsciiDomain, wireAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { CampaignUrls, LinkTokens, LinkUrls } from '#link-token';
import type { CampaignUrl, MessageLink, MessageUrls } from '#link-token';
import { dateField } from '../../message/compose-message.js';
import { addressField, textField } from '../../message/header-field.js';
import { messageIdFor } from '../../message/message-id.js';
import type { SmtpMessage } from '../../message/message.js';
import { PreparedMessage } from '../../message/prepared-message.js';
import type { Send } from '../send.js';

/** One of Gmail's four fields; the same for everything this software sends. */
const feedbackSender = 'tidings';

/** The data from which the messages of a send are rendered; it can be sent to another thread. */
export interface RenderPlan {
  send: Send;
  /** Uuids behind the send's wire ids, as links carry them. */
  ids: { organization: string; campaign: string };
  /** A PEM; kept in memory only. */
  signing: { domain: string; selector: string; privateKey: string };
  linkKey: Uint8Array;
  publicUrl: string;
  replyTo: EmailAddress;
  currentYear: number;
}

export interface RenderedMessage {
  subject: string;
  message: SmtpMessage;
}

/** The recipient of a message; ids are uuids. */
export interface RenderRecipient {
  messageId: string;
  subscriberId: string;
  address: EmailAddress;
  recipient: Pick<PageRecipient, 'values' | 'shows'>;
}

/** Prepares a campaign once: template, key, links and fixed headers; then a message costs what differs in it. */
export class CampaignRenderer {
  readonly #from: EmailAddress;
  readonly #template: MailTemplate;
  readonly #urls: CampaignUrls;
  /** Makes links whose targets hold values, and those of the online version. */
  readonly #ownUrls: LinkUrls;
  readonly #pages: Record<keyof RenderInput['links'], CampaignUrl>;
  readonly #mail: PreparedMail<CampaignUrl>;
  readonly #message: PreparedMessage;
  #lastSubject = { text: '', field: textField('Subject', '') };

  /** @throws Error for a key or a sender's domain that is none */
  constructor(readonly recipe: RenderPlan) {
    const { send, ids, publicUrl, currentYear } = recipe;
    const { sender } = send;
    const asciiDomain = toAsciiDomain(sender.domain);
    if (asciiDomain === null) throw new Error(`The sender's domain ${sender.domain} is none`);
    this.#from = { display: sender.displayName, local: sender.localPart, domain: sender.domain, asciiDomain };
    this.#template = send.template as MailTemplate;
    const linkKey = Buffer.from(recipe.linkKey);
    const scope = { organizationId: ids.organization, campaignId: ids.campaign, period: this.#month };
    this.#urls = new CampaignUrls(linkKey, scope, publicUrl);
    this.#ownUrls = new LinkUrls(new LinkTokens(linkKey), publicUrl);
    this.#pages = {
      unsubscribeUrl: this.#urls.of('unsubscribe'),
      preferencesUrl: this.#urls.of('preferences'),
      onlineUrl: this.#urls.of('view'),
    };
    this.#mail = prepareMail(this.#template, {
      currentYear,
      links: this.#pages,
      pixel: send.tracking.opens ? this.#urls.of('open') : null,
      track: (target, number, tag) => (this.#counts(tag) ? this.#urls.click({ target, number, tag }) : target),
    });
    this.#message = this.#prepareMessage();
  }

  get send(): Send {
    return this.recipe.send;
  }

  get showIf(): Filter[][] {
    return this.#template.showIf as Filter[][];
  }

  get variables(): string[] {
    return this.#template.variables;
  }

  /** @param signs whether the relay it goes to wants our signature */
  make(to: RenderRecipient, { now, signs }: { now: Date; signs: boolean }): RenderedMessage {
    const urls = this.#urls.message(to);
    const { subject, values, shown } = this.#fill(to, urls);
    const message = this.#message.write({
      to: addressField('To', [to.address]),
      subject: this.#subjectField(subject),
      date: dateField(now),
      messageId: messageIdFor(this.#urls.publicId(to.messageId), this.#from.asciiDomain),
      unsubscribePart: urls.part(this.#pages.unsubscribeUrl),
      filling: { values, shown, part: (address) => urls.part(address) },
      smtpUtf8: needsSmtpUtf8(to.address),
      signedAt: signs ? now : null,
    });
    return {
      subject,
      message: {
        from: `b.${urls.returnPath()}@${this.send.sender.mailFromDomain}`,
        to: wireAddress(to.address),
        ...message,
      },
    };
  }

  /** Renders the online version: the message as sent, with the recipient's current data, counting nothing. */
  view(to: Pick<RenderRecipient, 'messageId' | 'subscriberId' | 'recipient'>): string {
    const link = this.#linkOf(to);
    const urls = this.#ownUrls;
    return renderMail(this.#template, {
      values: to.recipient.values,
      shows: to.recipient.shows,
      links: {
        unsubscribeUrl: urls.of('unsubscribe', link),
        preferencesUrl: urls.of('preferences', link),
        onlineUrl: urls.of('view', link),
      },
      currentYear: this.recipe.currentYear,
      track: (target, number, tag) => (tag ? urls.click(link, { target, number, tag }) : target),
    }).html;
  }

  get #month(): string {
    return this.send.period.slice(0, 7);
  }

  /** A link that changes tags works only through our server, whether clicks are counted or not. */
  #counts(tag: object | undefined): boolean {
    return tag !== undefined || this.send.tracking.clicks;
  }

  #prepareMessage(): PreparedMessage {
    const { send, signing, replyTo, ids } = this.recipe;
    const { organizationId, organizationName, campaignId } = send;
    return new PreparedMessage({
      from: this.#from,
      replyTo,
      unsubscribe: this.#pages.unsubscribeUrl,
      listId: { id: `${organizationId}.${this.#from.asciiDomain}`, name: organizationName },
      feedbackId: `${campaignId}:${organizationId}:campaign:${feedbackSender}`,
      html: this.#mail.html,
      text: this.#mail.text,
      boundaryId: ids.campaign,
      signing,
    });
  }

  #fill(to: RenderRecipient, urls: MessageUrls) {
    const { values, shows } = to.recipient;
    const pages = this.#pages;
    const complete = (url: CampaignUrl): string => url.prefix + urls.part(url);
    return this.#mail.fill({
      values,
      shows,
      // Few mails write these addresses anywhere but in a link of their own.
      links: {
        get unsubscribeUrl() {
          return complete(pages.unsubscribeUrl);
        },
        get preferencesUrl() {
          return complete(pages.preferencesUrl);
        },
        get onlineUrl() {
          return complete(pages.onlineUrl);
        },
      },
      track: (target, number, tag) =>
        this.#counts(tag) ? this.#ownUrls.click(this.#linkOf(to), { target, number, tag }) : target,
    });
  }

  #subjectField(text: string): string {
    if (text !== this.#lastSubject.text) this.#lastSubject = { text, field: textField('Subject', text) };
    return this.#lastSubject.field;
  }

  #linkOf({ messageId, subscriberId }: Pick<RenderRecipient, 'messageId' | 'subscriberId'>): MessageLink {
    const { organization, campaign } = this.recipe.ids;
    return { organizationId: organization, messageId, subscriberId, campaignId: campaign, period: this.#month };
  }
}
