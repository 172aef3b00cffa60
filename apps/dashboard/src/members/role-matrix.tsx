import { memberText } from '../messages/en/members.js';
import { Icon } from '../ui/icon.js';
import { Section } from '../ui/section.js';
import { roles } from './role.js';
import type { Role } from '../data/session.js';

const rights: readonly {
  key: 'read' | 'write' | 'test' | 'stop' | 'send' | 'approve' | 'admin' | 'owner';
  from: Role;
  asks?: Role;
}[] = [
  { key: 'read', from: 'viewer' },
  { key: 'write', from: 'editor' },
  { key: 'test', from: 'editor' },
  { key: 'stop', from: 'editor' },
  { key: 'send', from: 'approver', asks: 'editor' },
  { key: 'approve', from: 'approver' },
  { key: 'admin', from: 'admin' },
  { key: 'owner', from: 'owner' },
];

/** What each role may do; editors ask for what sends. */
export function RoleMatrix() {
  return (
    <Section title={memberText('roles.title')}>
      <div className="relative overflow-x-auto" tabIndex={0} role="group" aria-label={memberText('roles.title')}>
        <table className="w-full min-w-140 text-sm">
          <thead>
            <tr className="border-b border-line text-soft">
              <th scope="col" className="py-2 text-start font-normal">
                {memberText('roles.right')}
              </th>
              {roles.map((role) => (
                <th key={role} scope="col" className="w-20 py-2 text-center font-normal">
                  {memberText(`roleName.${role}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rights.map(({ key, from, asks }) => (
              <tr key={key} className="border-b border-line">
                <th scope="row" className="py-2 text-start font-normal">
                  {memberText(`right.${key}`)}
                </th>
                {roles.map((role) => (
                  <td key={role} className="py-2 text-center">
                    <Cell may={roles.indexOf(role) >= roles.indexOf(from)} asks={role === asks} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Cell({ may, asks }: { may: boolean; asks: boolean }) {
  if (asks) return memberText('asks');
  return may ? (
    <>
      <Icon name="check" className="inline-block text-good" />
      <span className="sr-only">{memberText('yes')}</span>
    </>
  ) : (
    <span className="text-soft">
      <span aria-hidden="true">{'–'}</span>
      <span className="sr-only">{memberText('no')}</span>
    </span>
  );
}
