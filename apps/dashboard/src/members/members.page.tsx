import { useQuery } from '@tanstack/react-query';
import { currentMembership } from '../data/session.js';
import { queries } from '../data/tools.calls.js';
import { memberText } from '../messages/en/members.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Section } from '../ui/section.js';
import { Skeleton } from '../ui/states.js';
import { Invitations } from './invitations.js';
import { InviteForm } from './invite-form.js';
import { MemberRow } from './member-row.js';
import { RoleMatrix } from './role-matrix.js';

/** The people of the organization, those who are invited, and what each role may do. */
export function MembersPage() {
  const { data, error, refetch } = useQuery(queries.list_members({}));
  const ownRole = currentMembership()?.role ?? 'viewer';
  const isAdmin = mayAct('admin');
  return (
    <Page title={memberText('title')}>
      <div className="flex flex-col gap-9">
        {isAdmin && <InviteForm ownRole={ownRole} />}
        <Section title={memberText('list.title')}>
          {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {!data && !error && <Skeleton className="h-24" />}
          <ul className="divide-y divide-line border-y border-line empty:hidden">
            {data?.members.map((member) => (
              <MemberRow key={member.id} member={member} ownRole={ownRole} />
            ))}
          </ul>
        </Section>
        {isAdmin && <Invitations />}
        <RoleMatrix />
      </div>
    </Page>
  );
}
