import { importText } from '../messages/en/imports.js';
import { TagPicker } from '../parts/tag-picker.js';
import { Check, Choice, Field } from '../ui/field.js';
import { emptyCells, modes } from './options.js';
import type { ChosenOptions } from './options.js';

/** How the rows of a file become subscribers. */
export function OptionFields({
  options,
  onChange,
}: {
  options: ChosenOptions;
  onChange: (change: Partial<ChosenOptions>) => void;
}) {
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={importText('mode')}>
          {(control) => (
            <Choice
              {...control}
              value={options.mode}
              onChange={({ target }) => onChange({ mode: target.value as ChosenOptions['mode'] })}
              options={modes.map((value) => ({ value, label: importText(`mode.${value}`) }))}
            />
          )}
        </Field>
        <Field label={importText('emptyCells')}>
          {(control) => (
            <Choice
              {...control}
              value={options.emptyCells}
              onChange={({ target }) => onChange({ emptyCells: target.value as ChosenOptions['emptyCells'] })}
              options={emptyCells.map((value) => ({ value, label: importText(`emptyCells.${value}`) }))}
            />
          )}
        </Field>
      </div>
      <Field label={importText('tags')}>
        {(control) => (
          <TagPicker
            control={control}
            names={options.tags}
            placeholder={importText('tags.placeholder')}
            onChange={(tags) => onChange({ tags })}
          />
        )}
      </Field>
      <div className="flex flex-col gap-1">
        {(['resubscribe', 'triggerWorkflows'] as const).map((key) => (
          <Check
            key={key}
            label={importText(key)}
            hint={importText(`${key}Hint`)}
            checked={options[key]}
            onChange={({ target }) => onChange({ [key]: target.checked })}
          />
        ))}
      </div>
    </div>
  );
}
