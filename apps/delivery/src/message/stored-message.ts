/** A message as stored until its delivery attempt, composed and signed. */
export interface StoredMessage {
  from: string;
  to: string;
  smtpUtf8: boolean;
  raw: Buffer;
  /** The recipient guard counted it at acceptance, so not again at the attempt. */
  counted?: boolean;
  /** The trace of the call that it came of, where one is traced. */
  traceparent?: string;
}
