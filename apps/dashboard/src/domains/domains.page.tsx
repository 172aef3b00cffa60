import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { actions, queries } from '../data/tools.calls.js';
import { issuesByField } from '../data/refusal.js';
import { useAction } from '../data/use-action.js';
import { domainText } from '../messages/en/domains.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { DomainCard } from './domain-card.js';

/** The sending domains with their DNS records: what to enter, what was found, what to change. */
export function DomainsPage() {
  const { data, error, refetch } = useQuery(queries.list_domains({}));
  const mayWrite = mayAct('editor');
  return (
    <Page title={domainText('title')} lead={domainText('lead')} wide={false}>
      <div className="flex flex-col gap-6">
        {mayWrite && <AddDomain />}
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton className="h-24" />}
        {data?.domains.length === 0 && (
          <EmptyState icon="globe" title={domainText('empty.title')}>
            {domainText('empty.lead')}
          </EmptyState>
        )}
        {data?.domains
          .toSorted((a, b) => Number(a.sandbox) - Number(b.sandbox))
          .map((domain) => (
            <DomainCard key={domain.id} domain={domain} mayWrite={mayWrite} />
          ))}
      </div>
    </Page>
  );
}

function AddDomain() {
  const create = useAction(actions.create_domain());
  const [name, setName] = useState('');
  const { byField } = issuesByField(create.error, ['domain']);
  const submit = async () => {
    await create.run({ domain: name.trim() });
    setName('');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void submit().catch(() => undefined);
      }}
    >
      <div className="flex items-start gap-3">
        <div className="w-full sm:w-80">
          <Field label={domainText('add')} hint={domainText('addHint')} fault={byField.domain}>
            {(control) => (
              <TextInput
                {...control}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
        </div>
        <Button look="primary" type="submit" busy={create.isPending} disabled={name.trim() === ''} className="mt-6.5">
          {domainText('addButton')}
        </Button>
      </div>
      {create.error && byField.domain === undefined && (
        <div className="mt-3">
          <ErrorNotice error={create.error} />
        </div>
      )}
    </form>
  );
}
