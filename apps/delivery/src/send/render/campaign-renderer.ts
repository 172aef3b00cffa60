import { renderMail } from '#content';
import type { MailTemplate, RenderedMail } from '#content';
import type { Filter, PageRecipient } from '#contracts';
import { toAsciiDomain, wireAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { LinkTokens, LinkUrls } from '#link-token';
import type { MessageLink } from '#link-token';
import { composeMessage, messageOctets } from '../../message/compose-message.js';
import { DkimSigner } from '../../message/dkim-signer.js';
import { messageIdFor } from '../../message/message-id.js';
import type { SmtpMessage } from '../../message/message.js';
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

/** CampaignRenderer compiles the template, parses the key and builds the fixed headers once. */
export class CampaignRenderer {
  readonly #from: EmailAddress;
  readonly #month: string;
  readonly #listId: { id: string; name: string };
  readonly #feedbackId: string;
  readonly #template: MailTemplate;
  readonly #signer: DkimSigner;
  readonly #tokens: LinkTokens;
  readonly #urls: LinkUrls;

  /** @throws Error for a key or a sender's domain that is none */
  constructor(readonly recipe: RenderPlan) {
    const { send } = recipe;
    const { sender, organizationId, organizationName, campaignId } = send;
    const asciiDomain = toAsciiDomain(sender.domain);
    if (asciiDomain === null) throw new Error(`The sender's domain ${sender.domain} is none`);
    this.#from = { display: sender.displayName, local: sender.localPart, domain: sender.domain, asciiDomain };
    this.#month = send.period.slice(0, 7);
    this.#listId = { id: `${organizationId}.${asciiDomain}`, name: organizationName };
    this.#feedbackId = `${campaignId}:${organizationId}:campaign:${feedbackSender}`;
    this.#template = send.template as MailTemplate;
    this.#signer = new DkimSigner(recipe.signing);
    this.#tokens = new LinkTokens(Buffer.from(recipe.linkKey));
    this.#urls = new LinkUrls(this.#tokens, recipe.publicUrl);
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
    const link = this.#linkOf(to);
    const unsubscribeUrl = this.#urls.of('unsubscribe', link);
    const rendered = this.#render(to.recipient, { link, unsubscribeUrl, tracking: this.send.tracking });
    const composed = composeMessage({
      from: this.#from,
      to: [to.address],
      replyTo: this.recipe.replyTo,
      subject: rendered.subject,
      html: rendered.html,
      text: rendered.text,
      messageId: messageIdFor(to.messageId, this.#from.asciiDomain),
      date: now,
      unsubscribe: { url: unsubscribeUrl },
      listId: this.#listId,
      feedbackId: this.#feedbackId,
    });
    const returnPath = this.#tokens.seal('return-path', { ...link, messageId: to.messageId });
    return {
      subject: rendered.subject,
      message: {
        from: `b.${returnPath}@${this.send.sender.mailFromDomain}`,
        to: wireAddress(to.address),
        raw: messageOctets(composed, signs ? this.#signer.sign(composed, now) : undefined),
        smtpUtf8: composed.smtpUtf8,
      },
    };
  }

  /** Renders the online version: the message as sent, with the recipient's current data, counting nothing. */
  view(to: Pick<RenderRecipient, 'messageId' | 'subscriberId' | 'recipient'>): string {
    const link = this.#linkOf(to);
    const unsubscribeUrl = this.#urls.of('unsubscribe', link);
    return this.#render(to.recipient, { link, unsubscribeUrl, tracking: { opens: false, clicks: false } }).html;
  }

  #linkOf({ messageId, subscriberId }: Pick<RenderRecipient, 'messageId' | 'subscriberId'>): MessageLink {
    const { organization, campaign } = this.recipe.ids;
    return { organizationId: organization, messageId, subscriberId, campaignId: campaign, period: this.#month };
  }

  #render(
    { values, shows }: RenderRecipient['recipient'],
    { link, unsubscribeUrl, tracking }: { link: MessageLink; unsubscribeUrl: string; tracking: Send['tracking'] },
  ): RenderedMail {
    return renderMail(this.#template, {
      values,
      shows,
      links: {
        unsubscribeUrl,
        preferencesUrl: this.#uses('preferencesUrl') ? this.#urls.of('preferences', link) : '',
        onlineUrl: this.#uses('onlineUrl') ? this.#urls.of('view', link) : '',
      },
      currentYear: this.recipe.currentYear,
      // A link that changes tags works only through our server, whether clicks are counted or not.
      track: (target, number, tag) =>
        tag || tracking.clicks ? this.#urls.click(link, { target, number, tag }) : target,
      ...(tracking.opens && { pixelUrl: this.#urls.of('open', link) }),
    });
  }

  #uses(variable: string): boolean {
    return this.#template.variables.includes(variable);
  }
}
