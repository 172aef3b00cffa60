import { notify } from './notices.js';
import { approvalOf, isDeclined, textOf } from './refusal.js';

/**
 * Shows why an action outside of forms failed. It says nothing where the person declined, or where the call became an
 * approval, which has its notice already: `void pause.run({ campaignId }).catch(reportFailure)`.
 */
export function reportFailure(error: unknown): void {
  if (!isDeclined(error) && !approvalOf(error)) notify({ kind: 'failed', text: textOf(error) });
}
