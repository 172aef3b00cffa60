import { organizationText } from '../messages/en/organization.js';
import { Check, Choice, Field, TextArea, TextInput } from '../ui/field.js';
import { Section } from '../ui/section.js';
import type { Settings } from './settings.js';

const zones = Intl.supportedValuesOf('timeZone');
const policies = ['AGENTS', 'ALL'] as const;

interface FieldsProps {
  values: Settings;
  faults: Record<string, string>;
  readOnly: boolean;
  isOwner: boolean;
  onChange: (change: Partial<Settings>) => void;
}

export function SettingsFields(props: FieldsProps) {
  return (
    <fieldset disabled={props.readOnly} className="flex flex-col gap-9">
      <General {...props} />
      <Mail {...props} />
      <Access {...props} />
    </fieldset>
  );
}

function General({ values, faults, onChange }: FieldsProps) {
  return (
    <Section title={organizationText('general.title')}>
      <div className="flex max-w-md flex-col gap-4">
        <Field label={organizationText('name')} fault={faults.name}>
          {(control) => (
            <TextInput {...control} value={values.name} onChange={({ target }) => onChange({ name: target.value })} />
          )}
        </Field>
        <Field label={organizationText('timezone')} fault={faults.timezone}>
          {(control) => (
            <Choice
              {...control}
              value={values.timezone}
              onChange={({ target }) => onChange({ timezone: target.value })}
              options={[...new Set([values.timezone, ...zones])].map((zone) => ({
                value: zone,
                label: zone.replaceAll('_', ' '),
              }))}
            />
          )}
        </Field>
        <Field label={organizationText('address')} hint={organizationText('addressHint')} fault={faults.address}>
          {(control) => (
            <TextArea
              {...control}
              value={values.address ?? ''}
              onChange={({ target }) => onChange({ address: target.value === '' ? null : target.value })}
            />
          )}
        </Field>
        <div className="w-28">
          <Field label={organizationText('currency')} fault={faults.currency}>
            {(control) => (
              <TextInput
                {...control}
                maxLength={3}
                value={values.currency}
                onChange={({ target }) => onChange({ currency: target.value.toUpperCase() })}
              />
            )}
          </Field>
        </div>
      </div>
    </Section>
  );
}

function Mail({ values, faults, onChange }: FieldsProps) {
  return (
    <Section title={organizationText('mail.title')}>
      <div className="flex max-w-md flex-col gap-1">
        {(['doubleOptIn', 'trackOpens', 'trackClicks'] as const).map((key) => (
          <Check
            key={key}
            label={organizationText(key)}
            checked={values[key]}
            onChange={({ target }) => onChange({ [key]: target.checked })}
          />
        ))}
        <div className="pt-3">
          <Field
            label={organizationText('sendDelaySeconds')}
            hint={organizationText('sendDelayHint')}
            fault={faults.sendDelaySeconds}
          >
            {(control) => (
              <TextInput
                {...control}
                type="number"
                min={0}
                max={300}
                value={values.sendDelaySeconds}
                onChange={({ target }) => onChange({ sendDelaySeconds: target.valueAsNumber || 0 })}
                className="w-28!"
              />
            )}
          </Field>
        </div>
      </div>
    </Section>
  );
}

function Access({ values, faults, isOwner, onChange }: FieldsProps) {
  return (
    <Section title={organizationText('access.title')}>
      <div className="flex max-w-md flex-col gap-4">
        <Field
          label={organizationText('approvals')}
          fault={faults.approvals}
          {...(!isOwner && { hint: organizationText('approvalsHint') })}
        >
          {(control) => (
            <Choice
              {...control}
              disabled={!isOwner}
              value={values.approvals}
              onChange={({ target }) => onChange({ approvals: target.value as Settings['approvals'] })}
              options={policies.map((value) => ({ value, label: organizationText(`approvals.${value}`) }))}
            />
          )}
        </Field>
        <Field label={organizationText('approvalHours')} fault={faults.approvalHours}>
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              max={168}
              value={values.approvalHours}
              onChange={({ target }) => onChange({ approvalHours: target.valueAsNumber || 1 })}
              className="w-28!"
            />
          )}
        </Field>
        <Field
          label={organizationText('tokenDaysMax')}
          hint={organizationText('tokenDaysHint')}
          fault={faults.tokenDaysMax}
        >
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              max={366}
              value={values.tokenDaysMax ?? ''}
              onChange={({ target }) => onChange({ tokenDaysMax: target.value === '' ? null : target.valueAsNumber })}
              className="w-28!"
            />
          )}
        </Field>
        <Check
          label={organizationText('requireSecondFactor')}
          hint={organizationText('secondFactorHint')}
          disabled={!isOwner}
          checked={values.requireSecondFactor}
          onChange={({ target }) => onChange({ requireSecondFactor: target.checked })}
        />
      </div>
    </Section>
  );
}
