import { newUuid, uuidOf } from '#database';
import { deriveKey, ExportTokens, linkBase, LinkTokens, LinkUrls } from '#link-token';
import type { SubscriberConfig } from '../config.js';

/** A download works so long without a token (API text, Subscribers). */
const downloadMs = 24 * 3_600_000;

export class PublicLinks {
  readonly #links: LinkTokens;
  readonly #exports: ExportTokens;

  constructor(private readonly config: Pick<SubscriberConfig, 'MASTER_KEY' | 'PUBLIC_URL'>) {
    this.#links = new LinkTokens(deriveKey(config.MASTER_KEY, 'links'));
    this.#exports = new ExportTokens(deriveKey(config.MASTER_KEY, 'exports'));
  }

  /**
   * URL of the page whose button confirms a subscription; its message id contains the time at which it was made.
   * @param hostname of the organization's own links; null for ours
   */
  confirmUrl(organizationId: string, subscriberId: string, hostname: string | null): string {
    return new LinkUrls(this.#links, linkBase(this.config.PUBLIC_URL, hostname)).of('confirm', {
      organizationId: uuidOf('org', organizationId)!,
      messageId: newUuid(),
      subscriberId: uuidOf('sub', subscriberId),
      campaignId: null,
      period: new Date(Date.now()).toISOString().slice(0, 7),
    });
  }

  downloadLink(organizationId: string, exportId: string, now: Date): { url: string; expiresAt: Date } {
    const expiresAt = new Date(Math.floor((now.getTime() + downloadMs) / 1000) * 1000);
    return { url: this.fileUrl(organizationId, exportId, expiresAt), expiresAt };
  }

  /** Where the file of an export or the refused rows of an import can be fetched until an instant, in whole seconds. */
  fileUrl(organizationId: string, id: string, expiresAt: Date): string {
    return `${this.config.PUBLIC_URL}/d/${this.#exports.seal({ organizationId, exportId: id, expiresAt })}`;
  }

  uploadUrl(importId: string): string {
    return `${this.config.PUBLIC_URL}/api/v2/imports/${importId}/file`;
  }
}
