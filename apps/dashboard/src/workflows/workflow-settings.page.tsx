import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { Refusal } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { settingsText } from '../messages/en/workflow-runs.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Button } from '../ui/button.js';
import { Check, Choice, Field, TextInput } from '../ui/field.js';
import { Section } from '../ui/section.js';
import { Callout } from '../ui/states.js';
import { GoalList } from './goal-list.js';
import { WorkflowFrame } from './workflow-frame.js';
import { readSettings, reentries, settingsInput } from './workflow-settings.js';
import type { Settings } from './workflow-settings.js';
import type { Workflow } from './workflow-status.js';

/** Who may enter again, when mails go out, what ends a run, and the group of the workflow. */
export function WorkflowSettingsPage() {
  return (
    <WorkflowFrame>
      {(workflow) => (
        <div key={workflow.id} className="flex max-w-2xl min-w-0 flex-col gap-8">
          <SettingsForm workflow={workflow} />
          <GroupField workflow={workflow} />
          <GoalList workflow={workflow} />
        </div>
      )}
    </WorkflowFrame>
  );
}

const canEdit = ({ status }: Workflow): boolean => mayAct('editor') && status !== 'ARCHIVED';

function useSettings(workflow: Workflow) {
  const [base, setBase] = useState(workflow);
  const [settings, setSettings] = useState(() => readSettings(workflow));
  const configure = useAction(actions.configure_workflow_draft());
  const isStale = configure.error instanceof Refusal && configure.error.reason === 'EXPECTED_UPDATED_AT_STALE';
  return {
    settings,
    change: (part: Partial<Settings>) => setSettings({ ...settings, ...part }),
    error: configure.error,
    isStale,
    isBusy: configure.isPending,
    isDirty: JSON.stringify(settings) !== JSON.stringify(readSettings(base)),
    takeTheirs: () => {
      configure.reset();
      setBase(workflow);
      setSettings(readSettings(workflow));
    },
    save: async () => {
      // The graph is sent as it was read: a draft is saved as a whole.
      const { steps, edges } = workflow.draft;
      const saved = await configure.run({
        workflowId: workflow.id,
        expectedUpdatedAt: isStale ? workflow.updatedAt : base.updatedAt,
        steps,
        edges,
        settings: settingsInput(settings),
      });
      setBase(saved.workflow);
      setSettings(readSettings(saved.workflow));
      notify({ kind: 'done', text: settingsText('saved') });
    },
  };
}

function SettingsForm({ workflow }: { workflow: Workflow }) {
  const { settings, change, error, isStale, isBusy, isDirty, takeTheirs, save } = useSettings(workflow);
  const mayEdit = canEdit(workflow);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save().catch(() => undefined);
  };
  return (
    <form className="flex flex-col gap-5" onSubmit={submit}>
      <Callout tone="plain">{settingsText('draftNote')}</Callout>
      {error && <ErrorNotice error={error} {...(isStale && { onRetry: takeTheirs })} />}
      <Field label={settingsText('reentry')}>
        {(control) => (
          <Choice
            {...control}
            disabled={!mayEdit}
            value={settings.reentry}
            options={reentries.map((value) => ({ value, label: settingsText(`reentry.${value}`) }))}
            onChange={({ target }) => change({ reentry: target.value as Settings['reentry'] })}
          />
        )}
      </Field>
      <Check
        label={settingsText('exit')}
        hint={settingsText('exit.hint')}
        disabled={!mayEdit}
        checked={settings.exitOnUnsubscribe}
        onChange={({ target }) => change({ exitOnUnsubscribe: target.checked })}
      />
      <SendWindow settings={settings} isDisabled={!mayEdit} onChange={change} />
      <Field label={settingsText('timezone')} hint={settingsText('timezone.hint')}>
        {(control) => (
          <TextInput
            {...control}
            disabled={!mayEdit}
            maxLength={255}
            value={settings.timezone}
            onChange={({ target }) => change({ timezone: target.value })}
          />
        )}
      </Field>
      {mayEdit && (
        <div>
          <Button type="submit" look="primary" busy={isBusy} disabled={!isDirty}>
            {commonText('save')}
          </Button>
        </div>
      )}
    </form>
  );
}

function SendWindow({
  settings: { sendWindow },
  isDisabled,
  onChange,
}: {
  settings: Settings;
  isDisabled: boolean;
  onChange: (part: Partial<Settings>) => void;
}) {
  return (
    <div>
      <Check
        label={settingsText('window')}
        hint={settingsText('window.hint')}
        disabled={isDisabled}
        checked={sendWindow !== null}
        onChange={({ target }) => onChange({ sendWindow: target.checked ? { from: '09:00', to: '18:00' } : null })}
      />
      {sendWindow && (
        <div className="mt-2 ms-6 flex gap-3">
          {(['from', 'to'] as const).map((name) => (
            <Field key={name} label={settingsText(`window.${name}`)}>
              {(control) => (
                <TextInput
                  {...control}
                  type="time"
                  required
                  disabled={isDisabled}
                  value={sendWindow[name]}
                  onChange={({ target }) => onChange({ sendWindow: { ...sendWindow, [name]: target.value } })}
                />
              )}
            </Field>
          ))}
        </div>
      )}
    </div>
  );
}

/** The group takes effect at once. */
function GroupField({ workflow }: { workflow: Workflow }) {
  const { data } = useQuery(queries.list_workflow_groups({ limit: 1000 }));
  const set = useAction(actions.set_workflow_group());
  const change = async (groupId: string | null) => {
    await set.run({ workflowId: workflow.id, expectedUpdatedAt: workflow.updatedAt, groupId });
    notify({ kind: 'done', text: settingsText('grouped') });
  };
  return (
    <Section title={settingsText('group')} lead={settingsText('group.hint')}>
      <Choice
        aria-label={settingsText('group')}
        disabled={!canEdit(workflow) || set.isPending}
        value={workflow.groupId ?? ''}
        options={[
          { value: '', label: settingsText('group.none') },
          ...(data?.groups ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ target }) => void change(target.value || null).catch(reportFailure)}
      />
    </Section>
  );
}
