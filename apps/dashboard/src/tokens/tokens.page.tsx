import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { queries } from '../data/tools.calls.js';
import { screenText } from '../messages/en/shell.js';
import { tokenText } from '../messages/en/tokens.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { Button } from '../ui/button.js';
import { Check } from '../ui/field.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { CreateToken } from './create-token.js';
import { EditToken } from './edit-token.js';
import { RevokeToken } from './revoke-token.js';
import { RotateToken } from './rotate-token.js';
import { SecretDialog } from './secret-dialog.js';
import { TokenList } from './token-list.js';
import type { TokenAction } from './token-list.js';
import type { ShownSecret, Token } from './token.js';

const searchPart = z.object({ new: z.optional(z.boolean()), ended: z.optional(z.boolean()) });

/** The tokens of programs and agents. */
export function TokensPage() {
  const [{ new: isNew = false, ended = false }, setSearch] = useScreenSearch(searchPart);
  const { data, error, refetch } = useQuery(queries.list_api_tokens({ includeEnded: ended }));
  const [action, setAction] = useState<{ kind: TokenAction; token: Token } | null>(null);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const close = () => setAction(null);
  const closeNew = () => setSearch({ new: undefined }, { replace: true });
  const create = (
    <Button look="primary" icon="plus" data-compose="" onClick={() => setSearch({ new: true })}>
      {tokenText('new')}
    </Button>
  );
  return (
    <Page title={screenText('tokens')} lead={tokenText('lead')} actions={create}>
      <Check
        label={tokenText('ended')}
        checked={ended}
        onChange={({ target }) => setSearch({ ended: target.checked || undefined }, { replace: true })}
        className="mb-2 self-start"
      />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data && data.tokens.length === 0 && (
        <EmptyState icon="key" title={tokenText('empty.title')}>
          {tokenText('empty.lead')}
        </EmptyState>
      )}
      {data && <TokenList tokens={data.tokens} onAction={(kind, token) => setAction({ kind, token })} />}
      {isNew && !secret && (
        <CreateToken
          onClose={closeNew}
          onSecret={(made) => {
            setSecret(made);
            closeNew();
          }}
        />
      )}
      {action?.kind === 'edit' && <EditToken token={action.token} onClose={close} />}
      {action?.kind === 'revoke' && <RevokeToken token={action.token} onClose={close} />}
      {action?.kind === 'rotate' && (
        <RotateToken
          token={action.token}
          onClose={close}
          onSecret={(made) => {
            setSecret(made);
            close();
          }}
        />
      )}
      {secret && <SecretDialog shown={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
