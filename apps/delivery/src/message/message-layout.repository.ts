import { isMessageByPosition } from '#database';
import type { MessageLayout } from './message.js';

/** Returns the layout that holds a message, by its id alone. */
export const layoutOf = (messageUuid: string): MessageLayout => (isMessageByPosition(messageUuid) ? 1 : 0);

/** Separates some messages by their layouts, in their order: the statements of each follow only where it has one. */
export function byLayout<T>(
  messages: readonly T[],
  uuidOf: (message: T) => string,
): { layout: MessageLayout; some: T[] }[] {
  const layouts: { layout: MessageLayout; some: T[] }[] = [
    { layout: 0, some: [] },
    { layout: 1, some: [] },
  ];
  for (const message of messages) layouts[layoutOf(uuidOf(message))]!.some.push(message);
  return layouts.filter(({ some }) => some.length > 0);
}
