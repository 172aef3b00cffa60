export interface SystemMail {
  subject: string;
  text: string;
  html: string;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter]!);

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

/** What waits for an approver: a link to each call, and nothing that decides. */
export function approvalMail(
  organization: string,
  asked: readonly { asker: string; message: string; url: string }[],
): SystemMail {
  const [first] = asked;
  if (asked.length === 1)
    return mailOf(
      `${first!.asker} asks for your approval (${organization})`,
      [`${first!.asker} asks for your approval: ${first!.message}`, 'Read what it would do before you decide.'],
      { label: 'Open the request', url: first!.url },
    );
  return mailOf(
    `${asked.length} requests wait for your approval (${organization})`,
    asked.map(({ asker, message, url }) => `${asker}: ${message}\n${url}`),
  );
}

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

const unexpected = 'If you did not do this, change your password now and inform the admin of your organization.';

export const factorAddedMail = (name: string) =>
  mailOf('A second factor was added to your Tidings account', [
    `"${name}" can now prove you when you sign in.`,
    unexpected,
  ]);

export const factorRemovedMail = (name: string) =>
  mailOf('A second factor was removed from your Tidings account', [
    `"${name}" proves you no more when you sign in.`,
    unexpected,
  ]);

export const factorsResetMail = () =>
  mailOf('Your second factors for Tidings were reset', [
    'An admin or the operator removed all second factors of your account and ended its sessions.',
    'Sign in with your password, and set up a second factor again. If you did not ask for this, inform the admin now.',
  ]);

export const recoveryCodesRenewedMail = () =>
  mailOf('Your Tidings recovery codes were replaced', ['Ten new recovery codes replace the former ones.', unexpected]);

export const recoveryCodeUsedMail = (left: number) =>
  mailOf('A recovery code of your Tidings account was used', [
    `Your account was signed in to with your password and a recovery code. Recovery codes left: ${left}.`,
    unexpected,
  ]);

export const tokenEndMail = ({ name, expiresAt }: { name: string; expiresAt: Date }) =>
  mailOf(`The API token ${name} ends soon`, [
    `The API token "${name}", which you created, ends at ${expiresAt.toISOString()}.`,
    'Programs that use it will be refused then. Create another token in time, and give it to them.',
  ]);
