import { newId } from '#database';
import { dayOf } from '../../rules/wait-time.js';
import { done } from '../loop/work-item.js';
import type { WorkItem } from '../loop/work-item.js';
import { RunRepository } from '../store/run.repository.js';
import { DateTriggerRepository } from '../store/date-trigger.repository.js';
import { EnrolmentJobRepository } from '../store/enrolment-job.repository.js';
import type { TriggerWorkerDependencies } from './trigger.worker.js';

/**
 * Runs DATE_FIELD triggers once a day, at a time in the workflow's zone, for subscribers whose field holds that day
 * (moved by the offset). A day on which no process ran is skipped.
 */
export class DateTriggerWorker {
  constructor(private readonly parts: TriggerWorkerDependencies) {}

  async claim(): Promise<WorkItem[]> {
    const { contexts, versions } = this.parts;
    const { manager } = contexts.plain();
    const now = await new RunRepository(manager).getNow();
    let begun = 0;
    for (const { organizationId, workflowId, version } of await new DateTriggerRepository(manager).listWorkflows()) {
      const live = await versions.get(manager, organizationId, { workflowId, version });
      for (const { id: stepId, config } of live.triggers) {
        if (config.kind !== 'DATE_FIELD') continue;
        const moment = { now, timezone: live.timezone };
        const local = new Intl.DateTimeFormat('en-GB', { timeZone: live.timezone, hour: '2-digit', minute: '2-digit' });
        if (local.format(now) < (config.time ?? '00:00')) continue;
        // An offset of -3 means three days before the date in the field.
        const wanted = dayOf(moment, -(config.offsetDays ?? 0));
        const filters = [
          { type: 'FIELD', fieldId: config.fieldId, valueType: 'DATE', operator: 'BETWEEN', from: wanted, to: wanted },
          ...(config.filters ?? []),
        ];
        const job = { jobId: newId('job'), workflowId, stepId, audienceId: newId('aud'), filters, matched: 0 };
        begun += await contexts.transaction(async ({ manager: sql }) => {
          const mine = await new DateTriggerRepository(sql).insertDay(organizationId, {
            workflowId,
            stepId,
            day: dayOf(moment),
          });
          if (mine) await new EnrolmentJobRepository(sql).insert(organizationId, job, now);
          return mine ? 1 : 0;
        });
      }
    }
    return done(begun);
  }
}
