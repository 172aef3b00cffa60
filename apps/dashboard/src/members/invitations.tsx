import { useQuery } from '@tanstack/react-query';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { dateTime } from '../messages/format.js';
import { memberText } from '../messages/en/members.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';

/** Invitations that were not accepted yet. */
export function Invitations() {
  const { data } = useQuery(queries.list_invitations({}));
  const revoke = useAction(actions.revoke_invitation());
  if (!data || data.invitations.length === 0) return null;
  const end = async (invitationId: string, email: string) => {
    try {
      await revoke.run({ invitationId });
      notify({ kind: 'done', text: memberText('invitations.revoked', { email }) });
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <Section title={memberText('invitations.title')}>
      <ul className="divide-y divide-line border-y border-line">
        {data.invitations.map(({ id, email, role, invitedBy, expiresAt }) => (
          <li key={id} className="flex items-center gap-4 py-3">
            <div className="min-w-0 flex-1">
              <p className="font-medium wrap-anywhere">{email}</p>
              <p className="text-sm text-soft">
                {memberText(`roleName.${role}`)}
                {' · '}
                {invitedBy === null
                  ? memberText('invitations.until', { at: dateTime(expiresAt) })
                  : memberText('invitations.by', { name: invitedBy, at: dateTime(expiresAt) })}
              </p>
            </div>
            <Button
              small
              aria-label={memberText('invitations.revokeOf', { email })}
              onClick={() => void end(id, email)}
            >
              {memberText('invitations.revoke')}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
