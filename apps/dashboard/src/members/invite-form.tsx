import { useState } from 'react';
import { notify } from '../data/notices.js';
import { isDeclined, issuesByField } from '../data/refusal.js';
import type { Role } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { memberText } from '../messages/en/members.js';
import { CopiedValue } from '../parts/copied-value.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { Section } from '../ui/section.js';
import { Callout } from '../ui/states.js';
import { grantableRoles } from './role.js';

/** Invites an address; where no mail can be sent, the link is shown to copy. */
export function InviteForm({ ownRole }: { ownRole: Role }) {
  const invite = useAction(actions.invite_member());
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [made, setMade] = useState<{ email: string; link: string } | null>(null);
  const { byField } = issuesByField(invite.error, ['email']);
  const submit = async () => {
    setMade(null);
    const { invitation, link } = await invite.run({ email, role });
    if (link === undefined) notify({ kind: 'done', text: memberText('invite.mailed', { email: invitation.email }) });
    else setMade({ email: invitation.email, link });
    setEmail('');
  };
  return (
    <Section title={memberText('invite.title')}>
      <form
        className="flex flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (email.trim() !== '') void submit().catch(() => undefined);
        }}
      >
        <div className="w-full sm:w-80">
          <Field label={memberText('email')} fault={byField.email}>
            {(control) => (
              <TextInput
                {...control}
                type="email"
                autoComplete="off"
                value={email}
                onChange={({ target }) => setEmail(target.value)}
              />
            )}
          </Field>
        </div>
        <div className="flex-1 sm:max-w-40">
          <Field label={memberText('role')}>
            {(control) => (
              <Choice
                {...control}
                value={role}
                onChange={({ target }) => setRole(target.value as Role)}
                options={grantableRoles(ownRole).map((value) => ({ value, label: memberText(`roleName.${value}`) }))}
              />
            )}
          </Field>
        </div>
        <Button look="primary" type="submit" busy={invite.isPending} disabled={email.trim() === ''} className="mt-6.5">
          {memberText('invite.button')}
        </Button>
      </form>
      {invite.error && !isDeclined(invite.error) && byField.email === undefined && (
        <div className="mt-3">
          <ErrorNotice error={invite.error} />
        </div>
      )}
      {made && (
        <div className="mt-3 flex flex-col gap-2">
          <Callout tone="good">{memberText('invite.link', { email: made.email })}</Callout>
          <CopiedValue value={made.link} what={memberText('invite.what')} />
        </div>
      )}
    </Section>
  );
}
