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

/** The name that a form of the preference page gives; null when the form asks for something else. */
export function renameOf(body: string): string | null {
  const form = new URLSearchParams(body);
  return form.get('action') === 'rename' ? (form.get('name') ?? '') : null;
}

/** What a form of the confirmation page asks for: only its own buttons do anything. */
export function confirmationActionOf(body: string): 'confirm' | 'resend' | null {
  const action = new URLSearchParams(body).get('action');
  return action === 'confirm' || action === 'resend' ? action : null;
}
