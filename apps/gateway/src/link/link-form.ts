/** What a form of the subscription pages, or a mail client's one-click request, asks for. */
export type LinkAction = 'unsubscribe' | 'resubscribe' | 'one-click';

/**
 * Reads the body of a POST to a subscription link. One-click requests come as a form of either encoding (RFC 8058
 * section 3.1). Whatever else is sent unsubscribes: only the button that says so subscribes again.
 */
export function linkActionOf(body: string): LinkAction {
  const form = new URLSearchParams(body);
  if (form.has('List-Unsubscribe') || /name="?List-Unsubscribe"?\s/i.test(body)) return 'one-click';
  return form.get('action') === 'resubscribe' ? 'resubscribe' : 'unsubscribe';
}
