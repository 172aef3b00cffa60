import { stepText } from '../messages/en/workflow-steps.js';
import { RecordPicker } from '../parts/record-picker.js';
import { Button } from '../ui/button.js';
import { Field, TextArea, TextInput } from '../ui/field.js';
import { Callout } from '../ui/states.js';
import { withField } from './config-fields.js';
import type { Config } from './config-fields.js';
import { fieldLabel } from './step-labels.js';

const texts = ['subject', 'preview'] as const;

/** The mail of a step: its text here, or that of a campaign. */
export function MailFields({
  config,
  faults,
  onChange,
}: {
  config: Config;
  faults: Readonly<Record<string, string>>;
  onChange: (config: Config) => void;
}) {
  const textOf = (name: string) => (typeof config[name] === 'string' ? config[name] : '');
  if (config.campaignId !== undefined)
    return (
      <>
        <CampaignField config={config} fault={faults.campaignId} onChange={onChange} />
        <p className="text-soft">{stepText('copying')}</p>
      </>
    );
  return (
    <>
      {texts.map((name) => (
        <Field key={name} label={fieldLabel(name)} fault={faults[name]}>
          {(control) => (
            <TextInput
              {...control}
              dir="auto"
              maxLength={998}
              value={textOf(name)}
              onChange={({ target }) => onChange(withField(config, name, target.value || undefined))}
            />
          )}
        </Field>
      ))}
      <Body config={config} fault={faults.content} onChange={onChange} />
      <Field label={fieldLabel('senderId')} fault={faults.senderId}>
        {(control) => (
          <RecordPicker
            control={control}
            noun="sender"
            placeholder={stepText('default')}
            ids={typeof config.senderId === 'string' ? [config.senderId] : []}
            onChange={([id]) => onChange(withField(config, 'senderId', id))}
          />
        )}
      </Field>
      <Field label={fieldLabel('replyTo')} fault={faults.replyTo}>
        {(control) => (
          <TextInput
            {...control}
            type="email"
            value={textOf('replyTo')}
            onChange={({ target }) => onChange(withField(config, 'replyTo', target.value || undefined))}
          />
        )}
      </Field>
      <CampaignField config={config} fault={faults.campaignId} onChange={onChange} />
    </>
  );
}

function Body({
  config,
  fault,
  onChange,
}: {
  config: Config;
  fault: string | undefined;
  onChange: (config: Config) => void;
}) {
  if (config.contentType !== 'MARKDOWN' && typeof config.content !== 'string')
    return (
      <Callout
        tone="plain"
        action={
          <Button small onClick={() => onChange({ ...config, contentType: 'MARKDOWN', content: '' })}>
            {stepText('visual.replace')}
          </Button>
        }
      >
        {stepText('visual')}
      </Callout>
    );
  return (
    <Field label={fieldLabel('content')} fault={fault}>
      {(control) => (
        <TextArea
          {...control}
          rows={10}
          dir="auto"
          value={String(config.content ?? '')}
          onChange={({ target }) => onChange({ ...config, contentType: 'MARKDOWN', content: target.value })}
          className="font-mono text-sm!"
        />
      )}
    </Field>
  );
}

function CampaignField({
  config,
  fault,
  onChange,
}: {
  config: Config;
  fault: string | undefined;
  onChange: (config: Config) => void;
}) {
  return (
    <Field label={stepText('copyFrom')} hint={stepText('copyFrom.hint')} fault={fault}>
      {(control) => (
        <RecordPicker
          control={control}
          noun="campaign"
          ids={typeof config.campaignId === 'string' ? [config.campaignId] : []}
          onChange={([campaignId]) => campaignId !== undefined && onChange({ campaignId })}
        />
      )}
    </Field>
  );
}
