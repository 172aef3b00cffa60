import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { actions, queries } from '../data/tools.calls.js';
import { issuesByField } from '../data/refusal.js';
import { useAction } from '../data/use-action.js';
import { webDomainText } from '../messages/en/web-domains.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { EmptyState, Skeleton } from '../ui/states.js';
import { WebDomainCard } from './web-domain-card.js';

/** The host names that links and pages carry, with their CNAME records. */
export function WebDomainsPage() {
  const { data, error, refetch } = useQuery(queries.list_web_domains({}));
  const mayWrite = mayAct('editor');
  return (
    <Page title={webDomainText('title')} lead={webDomainText('lead')} wide={false}>
      <div className="flex flex-col gap-6">
        {mayWrite && <AddWebDomain />}
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton className="h-24" />}
        {data?.webDomains.length === 0 && (
          <EmptyState icon="globe" title={webDomainText('empty.title')}>
            {webDomainText('empty.lead')}
          </EmptyState>
        )}
        {data?.webDomains.map((webDomain) => (
          <WebDomainCard key={webDomain.id} webDomain={webDomain} mayWrite={mayWrite} />
        ))}
      </div>
    </Page>
  );
}

function AddWebDomain() {
  const create = useAction(actions.create_web_domain());
  const [name, setName] = useState('');
  const { byField } = issuesByField(create.error, ['hostname']);
  const submit = async () => {
    await create.run({ hostname: name.trim() });
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
          <Field label={webDomainText('add')} hint={webDomainText('addHint')} fault={byField.hostname}>
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
          {webDomainText('addButton')}
        </Button>
      </div>
      {create.error && byField.hostname === undefined && (
        <div className="mt-3">
          <ErrorNotice error={create.error} />
        </div>
      )}
    </form>
  );
}
