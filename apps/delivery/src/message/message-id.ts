/**
 * Returns the Message-ID of a message, which is the same at every attempt: the row's id (a UUID in hex with dashes) and
 * the sender's domain in ASCII form.
 */
export const messageIdFor = (messageRowId: string, senderDomain: string): string => `<${messageRowId}@${senderDomain}>`;

/** Reads the row id from a Message-ID, as bounces quote it; null if Tidings did not write it. */
export const messageRowIdFrom = (messageId: string): string | null =>
  /^\s*<?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@[^<>\s@]+>?\s*$/i.exec(messageId)?.[1]?.toLowerCase() ?? null;
