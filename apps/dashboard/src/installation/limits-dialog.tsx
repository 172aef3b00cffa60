import { useState } from 'react';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { installationText } from '../messages/en/installation.js';
import { number } from '../messages/format.js';
import { FormDialog } from '../parts/form-dialog.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { isValid, limitNames, limitOf, limits, planCall, plans } from './limits.js';
import type { HostedOrganization, Limit, LimitChoice, LimitChoices, Plan } from './limits.js';

const kept: LimitChoice = { kind: 'keep', value: '' };

/** Sets the plan of an organization, and the limits that are its own. */
export function LimitsDialog({ organization, onClose }: { organization: HostedOrganization; onClose: () => void }) {
  const setPlan = useAction(actions.set_organization_plan());
  const [plan, choosePlan] = useState<Plan>(organization.plan);
  const [choices, setChoices] = useState<LimitChoices>({
    contacts: kept,
    mailsPerMonth: kept,
    domains: kept,
    ratePerMinute: kept,
  });
  const call = planCall(organization, plan, choices);
  const save = async () => {
    if (!call) return;
    await setPlan.run(call);
    notify({ kind: 'done', text: installationText('change.done', { name: organization.name }) });
    onClose();
  };
  return (
    <FormDialog
      title={installationText('change.of', { name: organization.name })}
      button={installationText('change')}
      busy={setPlan.isPending}
      disabled={call === null}
      error={setPlan.error}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={installationText('plan')}>
        {(control) => (
          <Choice
            {...control}
            value={plan}
            options={plans.map((value) => ({ value, label: installationText(`plan.${value}`) }))}
            onChange={({ target }) => choosePlan(target.value as Plan)}
          />
        )}
      </Field>
      {limitNames.map((limit) => (
        <LimitField
          key={limit}
          limit={limit}
          now={limitOf(organization, limit)}
          choice={choices[limit]}
          onChange={(choice) => setChoices({ ...choices, [limit]: choice })}
        />
      ))}
    </FormDialog>
  );
}

function LimitField({
  limit,
  now,
  choice,
  onChange,
}: {
  limit: Limit;
  now: number | null;
  choice: LimitChoice;
  onChange: (choice: LimitChoice) => void;
}) {
  const label = installationText(`limit.${limit}`);
  const value = now === null ? installationText('unbounded') : number(now);
  const { least, most } = limits[limit];
  const isWrong = choice.value !== '' && !isValid(limit, choice);
  return (
    <Field
      label={label}
      fault={isWrong ? installationText('change.whole', { least: number(least), most: number(most) }) : undefined}
    >
      {(control) => (
        <span className="grid gap-2 sm:grid-cols-2">
          <Choice
            {...control}
            value={choice.kind}
            options={[
              { value: 'keep', label: installationText('change.keep', { value }) },
              { value: 'plan', label: installationText('change.plan') },
              { value: 'own', label: installationText('change.own') },
            ]}
            onChange={({ target }) => onChange({ ...choice, kind: target.value as LimitChoice['kind'] })}
          />
          {choice.kind === 'own' && (
            <TextInput
              inputMode="numeric"
              aria-label={installationText('change.value', { limit: label })}
              aria-invalid={isWrong || undefined}
              value={choice.value}
              onChange={({ target }) => onChange({ ...choice, value: target.value })}
            />
          )}
        </span>
      )}
    </Field>
  );
}
