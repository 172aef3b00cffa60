import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { domainText } from '../messages/en/domains.js';
import { dateTime, relative } from '../messages/format.js';
import { CopiedValue } from '../parts/copied-value.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button, IconButton } from '../ui/button.js';
import { Badge, Callout } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

type Domain = ToolData<'list_domains'>['domains'][number];
type DnsRecord = Domain['records'][number];

const tones: Record<Domain['status'], Tone> = { PENDING: 'warn', VERIFIED: 'good', FAILED: 'bad' };

/** One domain: its state and, as long as something is missing, its records opened. */
export function DomainCard({ domain, mayWrite }: { domain: Domain; mayWrite: boolean }) {
  const verify = useAction(actions.verify_domain());
  const remove = useAction(actions.delete_domain({ button: domainText('remove'), typed: domain.domain }));
  const end = async () => {
    try {
      await remove.run({ domainId: domain.id });
      notify({ kind: 'done', text: domainText('removed', { domain: domain.domain }) });
    } catch (error) {
      reportFailure(error);
    }
  };
  const { checkedAt, failingSince, records, sandbox, status } = domain;
  return (
    <section aria-label={domain.domain} className="rounded-lg border border-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <h2 className="min-w-0 text-base font-semibold wrap-anywhere">{domain.domain}</h2>
        <Badge tone={tones[status]}>{domainText(`status.${status}`)}</Badge>
        {sandbox && <Badge>{domainText('sandbox')}</Badge>}
        <span className="ms-auto flex items-center gap-2 text-sm text-soft">
          {!sandbox &&
            (checkedAt === null
              ? domainText('unchecked')
              : domainText('checked', { ago: relative(checkedAt, Date.now()) }))}
          {mayWrite && !sandbox && (
            <>
              <Button
                small
                busy={verify.isPending}
                onClick={() => void verify.run({ domainId: domain.id }).catch(() => undefined)}
              >
                {domainText('check')}
              </Button>
              <IconButton small icon="trash" label={domainText('remove')} onClick={() => void end()} />
            </>
          )}
        </span>
      </header>
      {(verify.error ?? failingSince) && (
        <div className="px-4 pb-3">
          {verify.error ? (
            <ErrorNotice error={verify.error} />
          ) : (
            <Callout tone="bad">{domainText('failing', { at: dateTime(failingSince!) })}</Callout>
          )}
        </div>
      )}
      {records.length > 0 && (
        <details open={status !== 'VERIFIED' || undefined} className="border-t border-line px-4 py-2">
          <summary
            aria-label={domainText('recordsOf', { domain: domain.domain })}
            className="cursor-pointer py-1 text-sm text-soft"
          >
            {domainText('records')}
          </summary>
          <ul className="divide-y divide-line">
            {records.map((record) => (
              <RecordRow key={record.purpose + record.name + record.value} record={record} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function RecordRow({ record }: { record: DnsRecord }) {
  const { type, name, value, purpose, required, status, found, advice } = record;
  const words = domainText(`purpose.${purpose}`);
  return (
    <li className="flex flex-col gap-1.5 py-3">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-mono text-xs">{type}</span>
        <span className="font-medium">{words}</span>
        <span className="text-soft">{domainText(required ? 'required' : 'recommended')}</span>
        <Badge tone={status === 'FAILED' && !required ? 'warn' : tones[status]}>{domainText(`status.${status}`)}</Badge>
      </p>
      <div className="grid items-center gap-x-3 gap-y-1 sm:grid-cols-[3rem_minmax(0,1fr)]">
        <span className="text-sm text-soft">{domainText('name')}</span>
        <CopiedValue value={name} what={domainText('nameOf', { purpose: words })} />
        <span className="text-sm text-soft">{domainText('value')}</span>
        <CopiedValue value={value} what={domainText('valueOf', { purpose: words })} />
      </div>
      {found.length > 0 && status !== 'VERIFIED' && (
        <p className="text-sm text-soft wrap-anywhere">{domainText('found', { values: found.join(' · ') })}</p>
      )}
      {advice !== null && <p className="text-sm text-warn wrap-anywhere">{advice}</p>}
    </li>
  );
}
