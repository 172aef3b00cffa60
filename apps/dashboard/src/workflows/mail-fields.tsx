import { stepText } from '../messages/en/workflow-steps.js';
import { RecordPicker } from '../parts/record-picker.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { Callout } from '../ui/states.js';
import { withField } from './config-fields.js';
import type { Config } from './config-fields.js';
import { fieldLabel } from './step-labels.js';

/** Fields that the editor of the mail shows. */
const written = ['content', 'preview', 'senderId', 'replyTo'];

/** The mail of a step: its subject, the way into its editor, and the campaign that it is copied from. */
export function MailFields({
  config,
  faults,
  onWrite,
  onChange,
}: {
  config: Config;
  faults: Readonly<Record<string, string>>;
  /** Opens the editor of the mail. */
  onWrite: () => void;
  onChange: (config: Config) => void;
}) {
  const isCopied = config.campaignId !== undefined;
  const inside = written.filter((name) => faults[name] !== undefined);
  return (
    <>
      {isCopied ? (
        <p className="text-soft">{stepText('copying')}</p>
      ) : (
        <>
          <Field label={fieldLabel('subject')} fault={faults.subject}>
            {(control) => (
              <TextInput
                {...control}
                dir="auto"
                maxLength={998}
                value={typeof config.subject === 'string' ? config.subject : ''}
                onChange={({ target }) => onChange(withField(config, 'subject', target.value || undefined))}
              />
            )}
          </Field>
          {inside.length > 0 && (
            <Callout tone="bad">
              {inside.map((name) => (
                <p key={name}>
                  {fieldLabel(name)}: {faults[name]}
                </p>
              ))}
            </Callout>
          )}
          <Button icon="mail" data-write-mail="" onClick={onWrite}>
            {stepText('mail.write')}
          </Button>
        </>
      )}
      <Field label={stepText('copyFrom')} hint={stepText('copyFrom.hint')} fault={faults.campaignId}>
        {(control) => (
          <RecordPicker
            control={control}
            noun="campaign"
            ids={isCopied && typeof config.campaignId === 'string' ? [config.campaignId] : []}
            onChange={([campaignId]) => campaignId !== undefined && onChange({ campaignId })}
          />
        )}
      </Field>
    </>
  );
}
