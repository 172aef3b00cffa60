import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { webDomainText } from '../messages/en/web-domains.js';
import { dateTime, relative } from '../messages/format.js';
import { CopiedValue } from '../parts/copied-value.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button, IconButton } from '../ui/button.js';
import { Badge, Callout } from '../ui/states.js';
import type { Tone } from '../ui/states.js';

type WebDomain = ToolData<'list_web_domains'>['webDomains'][number];

const tones: Record<WebDomain['status'], Tone> = { PENDING: 'warn', VERIFIED: 'good', FAILED: 'bad' };

/** One host name: its state, the record that it needs, and what DNS said. */
export function WebDomainCard({ webDomain, mayWrite }: { webDomain: WebDomain; mayWrite: boolean }) {
  const verify = useAction(actions.verify_web_domain());
  const remove = useAction(actions.delete_web_domain({ button: webDomainText('remove') }));
  const { id, hostname, status, cname, found, advice, checkedAt, failingSince } = webDomain;
  const end = async () => {
    try {
      await remove.run({ domainId: id });
      notify({ kind: 'done', text: webDomainText('removed', { hostname }) });
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <section aria-label={hostname} className="rounded-lg border border-line">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <h2 className="min-w-0 text-base font-semibold wrap-anywhere">{hostname}</h2>
        <Badge tone={tones[status]}>{webDomainText(`status.${status}`)}</Badge>
        <span className="ms-auto flex items-center gap-2 text-sm text-soft">
          {checkedAt === null
            ? webDomainText('unchecked')
            : webDomainText('checked', { ago: relative(checkedAt, Date.now()) })}
          {mayWrite && (
            <>
              <Button
                small
                busy={verify.isPending}
                onClick={() => void verify.run({ domainId: id }).catch(() => undefined)}
              >
                {webDomainText('check')}
              </Button>
              <IconButton small icon="trash" label={webDomainText('remove')} onClick={() => void end()} />
            </>
          )}
        </span>
      </header>
      {(verify.error ?? failingSince) && (
        <div className="px-4 pb-3">
          {verify.error ? (
            <ErrorNotice error={verify.error} />
          ) : (
            <Callout tone="bad">{webDomainText('failing', { at: dateTime(failingSince!) })}</Callout>
          )}
        </div>
      )}
      <div className="flex flex-col gap-1.5 border-t border-line px-4 py-3">
        {status !== 'VERIFIED' && <p className="text-sm text-soft">{webDomainText('record')}</p>}
        <div className="grid items-center gap-x-3 gap-y-1 sm:grid-cols-[3rem_minmax(0,1fr)]">
          <span className="text-sm text-soft">{webDomainText('name')}</span>
          <CopiedValue value={cname.name} what={webDomainText('nameOf')} />
          <span className="text-sm text-soft">{webDomainText('value')}</span>
          <CopiedValue value={cname.value} what={webDomainText('valueOf')} />
        </div>
        {found.length > 0 && status !== 'VERIFIED' && (
          <p className="text-sm text-soft wrap-anywhere">{webDomainText('found', { values: found.join(' · ') })}</p>
        )}
        {advice !== null && <p className="text-sm text-warn wrap-anywhere">{advice}</p>}
      </div>
    </section>
  );
}
