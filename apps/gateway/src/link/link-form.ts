/** The action of a form on the subscription pages, or of a mail client's one-click request. */
export type LinkAction = 'unsubscribe' | 'resubscribe' | 'one-click';

/**
 * One-click requests come as a form of either encoding (RFC 8058 section 3.1). Any other body unsubscribes: only the
 * button "Subscribe again" subscribes.
 */
export function linkActionOf(body: string): LinkAction {
  const form = new URLSearchParams(body);
  if (form.has('List-Unsubscribe') || /name="?List-Unsubscribe"?\s/i.test(body)) return 'one-click';
  return form.get('action') === 'resubscribe' ? 'resubscribe' : 'unsubscribe';
}

/** The name entered in a form of the preference page; null when the form has another action. */
export function renameOf(body: string): string | null {
  const form = new URLSearchParams(body);
  return form.get('action') === 'rename' ? (form.get('name') ?? '') : null;
}

/** The action of a form on the confirmation page; null for any other body. */
export function confirmationActionOf(body: string): 'confirm' | 'resend' | null {
  const action = new URLSearchParams(body).get('action');
  return action === 'confirm' || action === 'resend' ? action : null;
}
