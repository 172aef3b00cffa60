import { auditText } from '../messages/en/audit.js';
import { commonText } from '../messages/en/common.js';
import { dateTime } from '../messages/format.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import type { AuditEntry } from './audit-search.js';

/** One entry in full, with the ids that support and auditors ask for. */
export function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { tool, at, actor, target, source, outcome, approvedBy, requestId, sessionId, ip } = entry;
  const facts = [
    [auditText('at'), dateTime(at)],
    [auditText('actor'), [actor.name, actor.id].filter(Boolean).join(' · ')],
    [auditText('target'), target],
    [auditText('source'), auditText(`source.${source}`)],
    [auditText('outcome'), outcome],
    [
      auditText('detail'),
      approvedBy && auditText('approvedBy', { name: [approvedBy.name, approvedBy.id].filter(Boolean).join(' · ') }),
    ],
    [auditText('request'), requestId],
    [auditText('session'), sessionId],
    [auditText('ip'), ip],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]));
  return (
    <Dialog
      title={tool.replaceAll('_', ' ')}
      onClose={onClose}
      footer={
        <Button data-autofocus="" onClick={onClose}>
          {commonText('close')}
        </Button>
      }
    >
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="wrap-anywhere select-all">{value}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
