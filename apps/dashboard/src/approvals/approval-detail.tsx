import { useQuery } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { approvalText } from '../messages/en/approvals.js';
import { dateTime, relative } from '../messages/format.js';
import { CopiedValue } from '../parts/copied-value.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Diff } from '../ui/diff.js';
import { Section } from '../ui/section.js';
import { Callout, Skeleton } from '../ui/states.js';
import { ApprovalDecision } from './approval-decision.js';
import { ApprovalMail } from './approval-mail.js';
import { ApprovalBadge, askerText } from './approval-state.js';
import type { Approval } from './approval-state.js';
import { AskerHistory } from './asker-history.js';

/** All that a person needs to decide about one call. */
export function ApprovalDetail({ approvalId }: { approvalId: string }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(queries.get_approval({ approvalId }));
  const notice = error && <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data || isPlaceholderData) return notice ?? <Skeleton className="h-48" />;
  const { approval } = data;
  return (
    <article aria-label={approval.message} className="flex min-h-full flex-col">
      <div className="flex flex-1 flex-col gap-7 pb-6">
        {notice}
        <Head approval={approval} />
        {approval.parameters === null && <Callout tone="plain">{approvalText('hidden')}</Callout>}
        {approval.stale && <Callout tone="warn">{approvalText('stale')}</Callout>}
        <Outcome approval={approval} />
        {approval.facts.length > 0 && <Facts facts={approval.facts} />}
        {approval.preview && (
          <Section title={approvalText('mail')}>
            <ApprovalMail mail={approval.preview} />
          </Section>
        )}
        {approval.diff.length > 0 && (
          <Section title={approvalText('changes')} lead={approvalText('changesLead')}>
            <Diff
              changes={approval.diff.map(({ path, before, after }) => ({
                path,
                before: textOfValue(before),
                after: textOfValue(after),
              }))}
              words={{ before: approvalText('before'), after: approvalText('after') }}
            />
          </Section>
        )}
        {approval.parameters !== null && (
          <Section title={approvalText('parameters')} lead={approvalText('parametersHint')}>
            <CopiedValue
              block
              what={approvalText('parameters')}
              value={JSON.stringify({ name: approval.tool, arguments: approval.parameters }, null, 2)}
            />
          </Section>
        )}
        <AskerHistory approval={approval} />
      </div>
      {approval.state === 'PENDING' && <ApprovalDecision key={approval.id} approval={approval} />}
    </article>
  );
}

function Head({ approval }: { approval: Approval }) {
  const { asker, tool, askedAt, expiresAt, state, message } = approval;
  return (
    <header>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
        <ApprovalBadge state={state} />
        <span className="wrap-anywhere">{approvalText('asked', { asker: askerText(asker), tool })}</span>
      </p>
      <h2 className="mt-2 max-w-prose text-lg font-semibold text-pretty wrap-anywhere">{message}</h2>
      <p className="mt-1 text-sm text-soft">
        {approvalText('since', { at: dateTime(askedAt), ago: relative(askedAt, Date.now()) })}
        {state === 'PENDING' && ` · ${approvalText('until', { at: dateTime(expiresAt) })}`}
      </p>
    </header>
  );
}

/** Who decided, and what came of it. */
function Outcome({ approval }: { approval: Approval }) {
  const { state, decidedAt, decidedBy, note, result } = approval;
  if (decidedAt === null) return null;
  const values = { state: approvalText(`state.${state}`), at: dateTime(decidedAt) };
  const refusal = (result as { error?: unknown } | undefined)?.error;
  return (
    <div className="flex flex-col gap-2">
      <Callout tone={state === 'EXECUTED' ? 'good' : state === 'FAILED' || state === 'REJECTED' ? 'bad' : 'plain'}>
        <p>
          {decidedBy === null
            ? approvalText('decidedAlone', values)
            : approvalText('decided', { ...values, name: decidedBy })}
        </p>
        {typeof refusal === 'string' && <p>{refusal}</p>}
        {note && <p>{approvalText('note', { note })}</p>}
      </Callout>
      {state === 'EXECUTED' && result !== undefined && (
        <details>
          <summary className="cursor-pointer py-1 font-medium">{approvalText('result')}</summary>
          <CopiedValue block what={approvalText('result')} value={JSON.stringify(result, null, 2)} />
        </details>
      )}
    </div>
  );
}

function Facts({ facts }: { facts: Approval['facts'] }) {
  return (
    <Section title={approvalText('facts')}>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(({ label, value }, place) => (
          <div key={place} className="contents">
            <dt className="max-w-48 text-soft">{label}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const textOfValue = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
