import { useState } from 'react';
import { stepText } from '../messages/en/workflow-steps.js';
import { Choice, Field, TextInput } from '../ui/field.js';
import { secondsIn, spanOf, units } from './step-words.js';
import type { Unit } from './step-words.js';
import { fieldLabel } from './step-labels.js';

/** A number and its unit. */
export function SpanField({
  label,
  hint,
  fault,
  amount,
  unit,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  fault: string | undefined;
  amount: number | undefined;
  unit: Unit;
  onChange: (amount: number | undefined, unit: Unit) => void;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <span className="flex gap-2">
          <TextInput
            {...control}
            type="number"
            min={0}
            value={amount ?? ''}
            onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value), unit)}
            className="w-24!"
          />
          <Choice
            aria-label={stepText('field.unit')}
            value={unit}
            options={units.map((value) => ({ value, label: stepText(`unit.${value}`) }))}
            onChange={({ target }) => onChange(amount, target.value as Unit)}
            className="w-32"
          />
        </span>
      )}
    </Field>
  );
}

/** A number of seconds as a number and its unit. */
export function SecondsField({
  name,
  hint,
  fault,
  seconds,
  onChange,
}: {
  name: string;
  hint?: string | undefined;
  fault: string | undefined;
  seconds: number | undefined;
  onChange: (seconds: number | undefined) => void;
}) {
  const read = seconds === undefined ? null : spanOf(seconds);
  const [unit, setUnit] = useState<Unit>(read?.unit ?? 'DAYS');
  return (
    <SpanField
      label={fieldLabel(name)}
      hint={hint}
      fault={fault}
      amount={seconds === undefined ? undefined : seconds / secondsIn(1, unit)}
      unit={unit}
      onChange={(amount, next) => {
        setUnit(next);
        onChange(amount === undefined ? undefined : Math.round(secondsIn(amount, next)));
      }}
    />
  );
}
