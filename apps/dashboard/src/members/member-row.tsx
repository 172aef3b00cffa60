import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../data/make-stale.js';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { currentSession } from '../data/session.js';
import type { Role } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { dateTime, relative } from '../messages/format.js';
import { memberText } from '../messages/en/members.js';
import { RowMenu } from '../parts/row-menu.js';
import { Choice } from '../ui/field.js';
import { Badge } from '../ui/states.js';
import { grantableRoles, mayManage } from './role.js';
import type { Member } from './role.js';

/** One person: the role to choose, and what an admin can do. */
export function MemberRow({ member, ownRole }: { member: Member; ownRole: Role }) {
  const { id, name, email, role, secondFactor, lastSeenAt } = member;
  const isManaged = mayManage(ownRole, role);
  const commands = useMemberActions(member);
  // Shown while the change is asked for; a refused or declined one shows the real role again.
  const [wanted, setWanted] = useState<Role | null>(null);
  const choose = async (next: Role) => {
    setWanted(next);
    await commands.changeRole(next);
    setWanted(null);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          {id === currentSession()?.user.id && <Badge>{memberText('you')}</Badge>}
          {secondFactor && <Badge tone="good">{memberText('factors.has')}</Badge>}
        </p>
        <p className="text-sm text-soft wrap-anywhere">{email}</p>
      </div>
      <p
        className="w-40 text-sm text-soft max-md:hidden"
        title={lastSeenAt === null ? undefined : dateTime(lastSeenAt)}
      >
        {lastSeenAt === null
          ? memberText('neverSeen')
          : memberText('lastSeen', { ago: relative(lastSeenAt, Date.now()) })}
      </p>
      {isManaged ? (
        <Choice
          aria-label={memberText('roleOf', { name })}
          value={wanted ?? role}
          disabled={wanted !== null}
          onChange={({ target }) => void choose(target.value as Role)}
          className="w-32"
          options={grantableRoles(ownRole).map((value) => ({ value, label: memberText(`roleName.${value}`) }))}
        />
      ) : (
        <span className="w-32 ps-2.5">{memberText(`roleName.${role}`)}</span>
      )}
      {isManaged && <Actions member={member} commands={commands} />}
    </li>
  );
}

type MemberActions = ReturnType<typeof useMemberActions>;

function Actions({ member, commands }: { member: Member; commands: MemberActions }) {
  const items = [
    { key: 'sessions', icon: 'signOut', run: commands.endSessions },
    { key: 'reset', icon: 'key', run: commands.reset },
    ...(member.secondFactor ? [{ key: 'factors', icon: 'key', run: commands.resetFactors } as const] : []),
    { key: 'remove', icon: 'trash', run: commands.remove },
  ] as const;
  return (
    <RowMenu
      label={memberText('actions', { name: member.name })}
      items={items.map(({ key, icon, run }) => ({
        text: memberText(`${key}.action`),
        icon,
        isDanger: key === 'remove',
        onClick: () => void run(),
      }))}
    />
  );
}

function useMemberActions({ id, name, email }: Member) {
  const client = useQueryClient();
  const update = useAction(actions.update_member_role());
  const end = useAction(actions.end_member_sessions());
  const reset = useAction(actions.send_password_reset());
  const resetFactors = useAction(actions.reset_member_factors());
  const remove = useAction(actions.remove_member({ button: memberText('remove.button') }));
  /** Says what was done, or why not; a declined question needs no word. */
  const saying = async (work: () => Promise<string>) => {
    try {
      notify({ kind: 'done', text: await work() });
    } catch (error) {
      reportFailure(error);
      // A refusal may mean that another admin changed the member meanwhile.
      await refresh(client, ['list_members']);
    }
  };
  return {
    changeRole: (role: Role) =>
      saying(async () => {
        await update.run({ userId: id, role });
        return memberText('role.saved', { name, role: memberText(`roleName.${role}`) });
      }),
    endSessions: () =>
      saying(async () => {
        const { ended } = await end.run({ userId: id });
        return memberText('sessions.done', { count: ended, name });
      }),
    reset: () =>
      saying(async () => {
        const { sent } = await reset.run({ userId: id });
        if (!sent) throw new Error(memberText('reset.not'));
        return memberText('reset.done', { email });
      }),
    resetFactors: () =>
      saying(async () => {
        await resetFactors.run({ userId: id });
        return memberText('factors.done', { name });
      }),
    remove: () =>
      saying(async () => {
        const { tokens } = await remove.run({ userId: id });
        return memberText('remove.done', { name, count: tokens });
      }),
  };
}
