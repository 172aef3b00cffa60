import type { DomainEvent } from '#contracts';
import { TallyRepository, uuidOf } from '#database';
import type { Sql } from '#database';
import { metricOf } from '../../rules/step-counters.js';

/** The counter of the sending step that a message event increments; null for other events. */
function countedAs({ name, data }: DomainEvent): 'sent' | 'opened' | 'clicked' | null {
  if (name === 'message.sent') return 'sent';
  if (name !== 'message.opened' && name !== 'message.clicked') return null;
  if (data.machine || !data.first) return null;
  return name === 'message.opened' ? 'opened' : 'clicked';
}

export class StepCounterRepository {
  constructor(private readonly sql: Sql) {}

  async countMail(events: readonly DomainEvent[]): Promise<void> {
    const facts = events.flatMap((event) => {
      const what = countedAs(event);
      const campaignId = what && 'campaignId' in event.data ? event.data.campaignId : null;
      return what && campaignId ? { what, campaignId, organizationId: event.organizationId } : [];
    });
    if (facts.length === 0) return;
    const rows: { organization_id: string; email_id: string; workflow_id: string; step_id: string }[] =
      await this.sql.query(
        `select e.organization_id, e.email_id, e.workflow_id, e.step_id
       from (select distinct * from unnest($1::uuid[], $2::uuid[]) u(org, id)) u
       join email_use e on e.organization_id = u.org and e.email_id = u.id`,
        [
          facts.map(({ organizationId }) => uuidOf('org', organizationId)),
          facts.map(({ campaignId }) => uuidOf('cmp', campaignId)),
        ],
      );
    const day = new Date(Date.now()).toISOString().slice(0, 10);
    for (const organizationId of new Set(facts.map((fact) => fact.organizationId))) {
      const changes = facts.flatMap((fact) => {
        const use = rows.find(
          (row) =>
            row.organization_id === uuidOf('org', organizationId) &&
            fact.organizationId === organizationId &&
            row.email_id === uuidOf('cmp', fact.campaignId),
        );
        return use ? { metric: metricOf(use.workflow_id), key: `mail:${use.step_id}:${fact.what}`, day, n: 1 } : [];
      });
      await new TallyRepository(this.sql).insert(organizationId, changes);
    }
  }
}
