export interface StoredMessage {
  from: string;
  to: string;
  smtpUtf8: boolean;
  raw: Buffer;
  /** The recipient guard counted it at acceptance, so not again at the attempt. */
  counted?: boolean;
  traceparent?: string;
}
