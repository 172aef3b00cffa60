import { date, dateTime, relative } from '../messages/format.js';
import { tokenText } from '../messages/en/tokens.js';
import { RowMenu } from '../parts/row-menu.js';
import { classNames } from '../ui/class-names.js';
import type { IconName } from '../ui/icon.js';
import { Badge } from '../ui/states.js';
import { hasEnded } from './token.js';
import type { Token } from './token.js';

export type TokenAction = 'edit' | 'rotate' | 'revoke';
const tokenActions: readonly (readonly [TokenAction, IconName])[] = [
  ['edit', 'settings'],
  ['rotate', 'key'],
  ['revoke', 'trash'],
];

/** Tokens with their rights in words, their end and their last use. */
export function TokenList({
  tokens,
  onAction,
}: {
  tokens: readonly Token[];
  onAction: (action: TokenAction, token: Token) => void;
}) {
  const now = Date.now();
  return (
    <ul className="divide-y divide-line border-y border-line empty:hidden">
      {tokens.map((token) => (
        <li key={token.id} className="flex items-start gap-3 py-3">
          <div
            className={classNames(
              'grid min-w-0 flex-1 gap-x-6 gap-y-1 md:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_13rem]',
              hasEnded(token, now) && 'text-soft',
            )}
          >
            <Title token={token} now={now} />
            <p className="text-sm">
              {token.scopes.map((scope) => tokenText(`scope.${scope}`)).join(', ')}
              {token.toolsets !== null && (
                <span className="block text-soft wrap-anywhere">{token.toolsets.join(', ')}</span>
              )}
            </p>
            <Times token={token} now={now} />
          </div>
          {!hasEnded(token, now) && (
            <RowMenu
              label={tokenText('actions', { name: token.name })}
              items={tokenActions.map(([action, icon]) => ({
                text: tokenText(`${action}.action`),
                icon,
                isDanger: action === 'revoke',
                onClick: () => onAction(action, token),
              }))}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Title({ token, now }: { token: Token; now: number }) {
  const { name, lastFour, kind, selfConfirm, createdBy, createdAt, revokedAt } = token;
  const at = date(createdAt);
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="font-mono text-xs text-soft">…{lastFour}</span>
        {!selfConfirm && <Badge tone="info">{tokenText('badge.asks')}</Badge>}
        {kind === 'PERSONAL' && <Badge>{tokenText('badge.personal')}</Badge>}
        {revokedAt !== null ? (
          <Badge tone="bad">{tokenText('badge.revoked')}</Badge>
        ) : (
          hasEnded(token, now) && <Badge>{tokenText('badge.ended')}</Badge>
        )}
      </p>
      <p className="text-sm text-soft wrap-anywhere">
        {createdBy === null ? tokenText('createdAlone', { at }) : tokenText('createdBy', { name: createdBy.name, at })}
      </p>
    </div>
  );
}

function Times({ token: { lastUsedAt, expiresAt }, now }: { token: Token; now: number }) {
  const facts = [
    { label: tokenText('lastUsed'), at: lastUsedAt, none: tokenText('notYet') },
    { label: tokenText('end'), at: expiresAt, none: tokenText('never') },
  ];
  return (
    <dl className="grid grid-cols-[4.5rem_1fr] text-sm">
      {facts.map(({ label, at, none }) => (
        <div key={label} className="contents">
          <dt className="text-soft">{label}</dt>
          <dd>
            {at === null ? (
              none
            ) : (
              <time dateTime={at} title={dateTime(at)}>
                {relative(at, now)}
              </time>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
