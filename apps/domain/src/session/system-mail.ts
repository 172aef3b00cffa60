/** A mail of the installation itself to a user. */
export interface SystemMail {
  subject: string;
  text: string;
  html: string;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter]!);

/** Builds a mail of paragraphs, with one link at the end. */
function mailOf(subject: string, paragraphs: readonly string[], link?: { label: string; url: string }): SystemMail {
  const text = [...paragraphs, ...(link ? [link.url] : [])].join('\n\n');
  const body = [
    ...paragraphs.map((one) => `<p>${escaped(one)}</p>`),
    ...(link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
  ];
  return { subject, text: `${text}\n`, html: `<!doctype html><html lang="en"><body>${body.join('')}</body></html>` };
}

export const invitationMail = (facts: { organization: string; role: string; by: string | null; url: string }) =>
  mailOf(
    `Invitation to ${facts.organization} on Tidings`,
    [
      `${facts.by ?? 'An admin'} invites you to join ${facts.organization} as ${facts.role}.`,
      'The link is valid for 7 days and works once.',
    ],
    { label: 'Accept the invitation', url: facts.url },
  );

export const resetMail = (url: string) =>
  mailOf(
    'Reset your Tidings password',
    [
      'A new password was requested for your account. If you did not request it, ignore this mail: your password stays.',
      'The link is valid for one hour and works once.',
    ],
    { label: 'Choose a new password', url },
  );

export const passwordChangedMail = () =>
  mailOf('Your Tidings password was changed', [
    'The password of your account was changed, and its sessions were ended.',
    'If you did not do this, request a new password now and inform the admin of your organization.',
  ]);

export const newAddressMail = (url: string) =>
  mailOf(
    'Confirm your new Tidings address',
    ['This address will belong to your account once you open the link. It is valid for 24 hours and works once.'],
    { label: 'Confirm the address', url },
  );

export const addressChangedMail = (email: string) =>
  mailOf('Your Tidings address was changed', [
    `Your account now belongs to the address ${email}.`,
    'If you did not do this, inform the admin of your organization.',
  ]);
