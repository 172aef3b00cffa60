/** The place of a message in the list: the first day of its month (YYYY-MM-DD), and its uuid. */
export interface MessagePlace {
  period: string;
  uuid: string;
}

const pattern = /^(\d{4}-(?:0[1-9]|1[0-2])-01)\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

export const messageCursor = ({ period, uuid }: MessagePlace): string => `${period}/${uuid}`;

export function readMessageCursor(cursor: string): MessagePlace | null {
  const [, period, uuid] = pattern.exec(cursor) ?? [];
  return period && uuid ? { period, uuid } : null;
}
