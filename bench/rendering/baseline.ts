import { renderMail } from '#content';
import type { MailTemplate } from '#content';
import { LinkTokens, LinkUrls } from '#link-token';
import { composeMessage, messageOctets } from '../../apps/delivery/src/message/compose-message.js';
import { DkimSigner } from '../../apps/delivery/src/message/dkim-signer.js';
import { messageIdFor } from '../../apps/delivery/src/message/message-id.js';
import type { RenderPlan, RenderRecipient } from '../../apps/delivery/src/send/render/campaign-renderer.js';

/** Renders each message as a whole, as single messages are: nothing is prepared but the template and the key. */
export class WholeRenderer {
  readonly #tokens: LinkTokens;
  readonly #urls: LinkUrls;
  readonly #signer: DkimSigner;

  constructor(private readonly plan: RenderPlan) {
    this.#tokens = new LinkTokens(Buffer.from(plan.linkKey));
    this.#urls = new LinkUrls(this.#tokens, plan.publicUrl);
    this.#signer = new DkimSigner(plan.signing);
  }

  make(to: RenderRecipient, { now, signs }: { now: Date; signs: boolean }): { from: string; raw: string } {
    const { send, ids, replyTo, currentYear } = this.plan;
    const { organization: organizationId, campaign: campaignId } = ids;
    const { messageId, subscriberId } = to;
    const period = send.period.slice(0, 7);
    const link = { organizationId, messageId, subscriberId, campaignId, period };
    const unsubscribeUrl = this.#urls.of('unsubscribe', link);
    const template = send.template as MailTemplate;
    const uses = (name: string): boolean => template.variables.includes(name);
    const rendered = renderMail(template, {
      values: to.recipient.values,
      shows: to.recipient.shows,
      links: {
        unsubscribeUrl,
        preferencesUrl: uses('preferencesUrl') ? this.#urls.of('preferences', link) : '',
        onlineUrl: uses('onlineUrl') ? this.#urls.of('view', link) : '',
      },
      currentYear,
      track: (target, number, tag) => this.#urls.click(link, { target, number, tag }),
      pixelUrl: this.#urls.of('open', link),
    });
    const { displayName, localPart, domain, mailFromDomain } = send.sender;
    const composed = composeMessage({
      from: { display: displayName, local: localPart, domain, asciiDomain: domain },
      to: [to.address],
      replyTo,
      subject: rendered.subject,
      html: rendered.html,
      text: rendered.text,
      messageId: messageIdFor(messageId, domain),
      date: now,
      unsubscribe: { url: unsubscribeUrl },
      listId: { id: `${send.organizationId}.${domain}`, name: send.organizationName },
      feedbackId: `${send.campaignId}:${send.organizationId}:campaign:tidings`,
    });
    const returnPath = this.#tokens.seal('return-path', { organizationId, messageId, period });
    return {
      from: `b.${returnPath}@${mailFromDomain}`,
      raw: messageOctets(composed, signs ? this.#signer.sign(composed, now) : undefined),
    };
  }
}
