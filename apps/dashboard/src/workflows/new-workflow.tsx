import { useState } from 'react';
import { approvalOf, isDeclined, issuesByField } from '../data/refusal.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { workflowText } from '../messages/en/workflows.js';
import { FormDialog } from '../parts/form-dialog.js';
import { NameField } from '../parts/name-field.js';
import { mayAct } from '../parts/own-role.js';
import { useGo } from '../parts/screen-link.js';
import { Button } from '../ui/button.js';
import { starterGraph, starters } from './starter.js';
import type { Starter } from './starter.js';

/** Makes a draft, with the steps of a starter, and opens it. */
function useCreate() {
  const create = useAction(actions.create_workflow());
  const configure = useAction(actions.configure_workflow_draft());
  const go = useGo();
  return async (name: string, starter: Starter) => {
    const { workflowId, workflow } = await create.run({ name });
    const graph = starterGraph(starter);
    if (graph)
      await configure.run({
        workflowId,
        expectedUpdatedAt: workflow.updatedAt,
        steps: [...graph.steps],
        edges: [...graph.edges],
      });
    go({ screen: 'workflow', params: { workflowId } });
  };
}

/** The button that asks for a name and where to start. */
export function NewWorkflow() {
  const [isOpen, setOpen] = useState(false);
  if (!mayAct('editor')) return null;
  return (
    <>
      <Button look="primary" icon="plus" data-compose="" onClick={() => setOpen(true)}>
        {workflowText('new')}
      </Button>
      {isOpen && <NewDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function NewDialog({ onClose }: { onClose: () => void }) {
  const create = useCreate();
  const [name, setName] = useState('');
  const [starter, setStarter] = useState<Starter>('empty');
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const fault = issuesByField(state.error, ['name']).byField.name;
  const submit = async () => {
    setState({ busy: true });
    try {
      await create(name.trim(), starter);
    } catch (error) {
      if (isDeclined(error) || approvalOf(error)) return onClose();
      setState({ busy: false, error });
    }
  };
  return (
    <FormDialog
      title={workflowText('new')}
      button={workflowText('create')}
      busy={state.busy}
      disabled={name.trim() === ''}
      error={fault === undefined ? state.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameField label={workflowText('name')} fault={fault} value={name} onChange={setName} />
      <fieldset className="min-w-0">
        <legend className="pb-1 text-sm font-medium">{workflowText('start')}</legend>
        {starters.map((one) => (
          <label key={one} className="flex items-start gap-2 py-1">
            <input
              type="radio"
              name="starter"
              checked={one === starter}
              onChange={() => setStarter(one)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span>
              {workflowText(`start.${one}`)}
              <span className="block text-sm text-soft">{workflowText(`start.${one}.lead`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** The drafts to start from, where there is no workflow yet. */
export function StarterCards() {
  const create = useCreate();
  const [busy, setBusy] = useState(false);
  if (!mayAct('editor')) return null;
  const start = async (starter: Starter) => {
    setBusy(true);
    await create(workflowText(`start.${starter}`), starter).catch(reportFailure);
    setBusy(false);
  };
  return (
    <ul className="flex w-full flex-col gap-2 text-start">
      {starters
        .filter((one) => one !== 'empty')
        .map((one) => (
          <li key={one}>
            <button
              type="button"
              disabled={busy}
              onClick={() => void start(one)}
              className="w-full rounded-md border border-edge/60 bg-paper px-3 py-2 text-start hover:bg-sunk"
            >
              <span className="font-medium">{workflowText(`start.${one}`)}</span>
              <span className="block text-sm text-soft">{workflowText(`start.${one}.lead`)}</span>
            </button>
          </li>
        ))}
    </ul>
  );
}
