import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { workflowText } from '../messages/en/workflows.js';
import type { IconName } from '../ui/icon.js';
import type { WorkflowStatus } from './workflow-status.js';

export interface StatusAction {
  text: string;
  icon: IconName;
  isDanger?: boolean;
  act: () => Promise<void>;
}

interface Concerned {
  id: string;
  name: string;
  status: WorkflowStatus;
}

/**
 * What can be done with a workflow in its state. Pausing acts at once and can be undone; the others ask first.
 * @param onDeleted what follows when the workflow is no longer there
 */
export function useStatusActions(onDeleted?: () => void): (workflow: Concerned) => StatusAction[] {
  const change = useAction(actions.update_workflow_status());
  const remove = useAction(actions.delete_workflow());
  const done = (text: string) => notify({ kind: 'done', text });
  return ({ id: workflowId, name, status }) => {
    const set = async (next: 'ACTIVE' | 'PAUSED' | 'ARCHIVED', button: string, text: string) => {
      await change.run({ workflowId, status: next }, { button });
      done(text);
    };
    const activate = (text: string): StatusAction => ({
      text,
      icon: 'play',
      act: () => set('ACTIVE', text, workflowText('activated', { name })).catch(reportFailure),
    });
    const archive: StatusAction = {
      text: workflowText('archive'),
      icon: 'download',
      isDanger: true,
      act: () =>
        set('ARCHIVED', workflowText('archive.button'), workflowText('archived', { name })).catch(reportFailure),
    };
    const pause = async () => {
      await change.run({ workflowId, status: 'PAUSED' });
      notify({
        kind: 'done',
        text: workflowText('paused', { name }),
        undo: async () => set('ACTIVE', workflowText('resume'), workflowText('pause.undo')),
      });
    };
    const discard = async () => {
      await remove.run({ workflowId }, { button: workflowText('delete.button') });
      done(workflowText('deleted', { name }));
      onDeleted?.();
    };
    switch (status) {
      case 'DRAFT':
        return [
          { text: workflowText('delete'), icon: 'trash', isDanger: true, act: () => discard().catch(reportFailure) },
        ];
      case 'ACTIVE':
        return [{ text: workflowText('pause'), icon: 'pause', act: () => pause().catch(reportFailure) }, archive];
      case 'PAUSED':
        return [activate(workflowText('activate')), archive];
      case 'ARCHIVED':
        return [
          {
            text: workflowText('restore'),
            icon: 'undo',
            act: () => set('PAUSED', workflowText('restore'), workflowText('paused', { name })).catch(reportFailure),
          },
        ];
    }
  };
}
