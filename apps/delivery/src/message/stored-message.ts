export interface StoredMessage {
  from: string;
  to: string;
  smtpUtf8: boolean;
  raw: Buffer;
  /**
   * The sender's domain, in lower-case ASCII: its key signs a message that was stored unsigned, for a relay that wants
   * our signature. Missing in messages of older versions, which are all signed.
   */
  signingDomain?: string;
  /** The recipient guard counted it at acceptance, so not again at the attempt. */
  counted?: boolean;
  traceparent?: string;
}
