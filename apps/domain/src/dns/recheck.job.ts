import type { Logger } from '#observability';
import { ToolError } from '#tool-call';
import type { VerificationState } from './verification-state.js';

export interface Due {
  organizationId: string;
  domainId: string;
}

export interface Checked {
  kind: 'sending domain' | 'web domain';
  names: { claimDue(limit: number): Promise<Due[]> };
  now: Date;
  changed?(due: Due): void;
  verify(due: Due & { now: Date }): Promise<{ before: VerificationState; after: VerificationState }>;
}

const atOnce = 10;

export async function recheckDue({ kind, names, verify, changed, now }: Checked, log: Logger): Promise<void> {
  for (;;) {
    const due = await names.claimDue(atOnce);
    await Promise.all(
      due.map(async (one) => {
        try {
          const { before, after } = await verify({ ...one, now });
          if (before.status === after.status) return;
          changed?.(one);
          const facts = { ...one, from: before.status, to: after.status };
          if (after.status === 'FAILED') log.warn(facts, `a ${kind} is FAILED`);
          else log.info(facts, `a ${kind} changed its status`);
        } catch (error) {
          // Another organization has the name, or it was removed meanwhile. An unexpected error concerns this name only
          // and must not stop the others.
          if (error instanceof ToolError) log.info({ ...one, reason: error.reason }, `a ${kind} was not checked`);
          else log.error({ ...one, err: error }, `a ${kind} could not be checked`);
        }
      }),
    );
    if (due.length < atOnce) return;
  }
}
