import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { settingsText } from '../messages/en/workflow-runs.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import { Section } from '../ui/section.js';
import { Callout } from '../ui/states.js';
import { ExitFields, GoalFields } from './goal-fields.js';
import { HistoryButtons } from './history-buttons.js';
import { SettingsFields } from './settings-fields.js';
import { useSettings } from './use-settings.js';
import { WorkflowFrame } from './workflow-frame.js';
import { readSettings } from './workflow-settings.js';
import type { Workflow } from './workflow-status.js';

/** Who may enter again, when mails go out, what ends a run, and the group of the workflow. */
export function WorkflowSettingsPage() {
  return (
    <WorkflowFrame>
      {(workflow) => (
        <div key={workflow.id} className="flex max-w-2xl min-w-0 flex-col gap-8">
          <SettingsForm workflow={workflow} />
          <GroupField workflow={workflow} />
        </div>
      )}
    </WorkflowFrame>
  );
}

const canEdit = ({ status }: Workflow): boolean => mayAct('editor') && status !== 'ARCHIVED';

function SettingsForm({ workflow }: { workflow: Workflow }) {
  const mayEdit = canEdit(workflow);
  const edit = useSettings(workflow, mayEdit);
  const { error, isStale, isBusy, isDirty, isValid, takeTheirs, save } = edit;
  const { published } = workflow;
  const shown = {
    edit,
    published: published && { version: published.version, settings: readSettings(published) },
    isDisabled: !mayEdit,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDirty && isValid) void save().catch(() => undefined);
  };
  return (
    <form className="flex min-w-0 flex-col gap-8" onSubmit={submit} noValidate>
      {mayEdit && (
        <div className="flex flex-wrap items-center gap-2">
          <HistoryButtons draft={edit.undo} />
          <span className="ms-auto" />
          <p role="status" className="text-sm text-soft">
            {isDirty ? settingsText(isValid ? 'unsaved' : 'invalid') : ''}
          </p>
          <Button type="submit" look="primary" busy={isBusy} disabled={!isDirty || !isValid}>
            {commonText('save')}
          </Button>
        </div>
      )}
      <Callout tone="plain">{settingsText('draftNote')}</Callout>
      {error && <ErrorNotice error={error} {...(isStale && { onRetry: takeTheirs })} />}
      <div className="flex flex-col gap-5">
        <SettingsFields {...shown} />
      </div>
      <ExitFields {...shown} />
      <GoalFields {...shown} stats={workflow.stats} />
    </form>
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
