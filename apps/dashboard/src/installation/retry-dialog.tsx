import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { installationText } from '../messages/en/installation.js';
import { FormDialog } from '../parts/form-dialog.js';
import type { Service } from './installation-search.js';

/** What is applied again: dead letters by id, or those of a service. */
export type RetryTarget = { ids: string[] } | { service: Service };

/** Asks before dead letters are applied again, and says what became of them. */
export function RetryDialog({
  target,
  onDone,
  onClose,
}: {
  target: RetryTarget;
  onDone: () => void;
  onClose: () => void;
}) {
  const retry = useAction(actions.retry_dead_letters());
  const apply = async () => {
    const { retried, failed } = await retry.run(target);
    if (failed.length > 0) notify({ kind: 'failed', text: installationText('retry.failed', { count: failed.length }) });
    if (retried > 0 || failed.length === 0)
      notify({ kind: 'done', text: installationText('retry.done', { count: retried }) });
    onDone();
  };
  return (
    <FormDialog
      title={installationText('retry.title')}
      button={
        'ids' in target
          ? installationText('retry.button', { count: target.ids.length })
          : installationText('retry.service', target)
      }
      busy={retry.isPending}
      error={retry.error}
      onSubmit={apply}
      onClose={onClose}
    >
      <p className="text-pretty">
        {'ids' in target
          ? installationText('retry.lead', { count: target.ids.length })
          : installationText('retry.leadService', target)}
      </p>
    </FormDialog>
  );
}
