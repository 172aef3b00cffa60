import { useId } from 'react';
import type { InputHTMLAttributes, ReactNode, Ref, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';

/** What a control inside a field gets: its id, and where its hint and fault stand. */
export interface FieldControl {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/**
 * A label, a control, a hint and a fault. The control is made by `children`, which gets its attributes.
 * @param fault shown in place of nothing; the hint stays
 */
export function Field({
  label,
  hint,
  fault,
  optional,
  children,
}: {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  /** The word that marks a field which may stay empty. */
  optional?: string;
  children: (control: FieldControl) => ReactNode;
}) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="flex items-baseline justify-between text-sm font-medium">
        {label}
        {optional !== undefined && <span className="font-normal text-soft">{optional}</span>}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(fault !== undefined && { 'aria-invalid': true as const }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="flex gap-1.5 text-sm text-bad">
          <Icon name="warning" className="mt-0.5 shrink-0" />
          {fault}
        </p>
      )}
    </div>
  );
}

const control =
  'w-full min-w-0 rounded-md border border-edge/60 bg-paper text-ink transition-[border-color] hover:border-edge ' +
  'focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad disabled:bg-sunk disabled:text-soft';

export function TextInput({
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return <input type="text" {...rest} className={classNames(control, 'h-8 px-2.5 text-base', className)} />;
}

export function TextArea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea rows={3} {...rest} className={classNames(control, 'px-2.5 py-1.5 text-base', className)} />;
}

interface ChoiceOption {
  value: string;
  label: string;
}

/** A short list of choices as the platform shows it: by keys, by touch, in any zoom. */
export function Choice({
  options = [],
  groups = [],
  className,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & {
  options?: readonly ChoiceOption[];
  groups?: readonly { label: string; options: readonly ChoiceOption[] }[];
}) {
  return (
    <span className={classNames('relative block min-w-0', className)}>
      <select {...rest} className={classNames(control, 'h-8 appearance-none truncate ps-2.5 pe-7 text-base')}>
        {options.map(optionOf)}
        {groups.map(({ label, options: own }) => (
          <optgroup key={label} label={label}>
            {own.map(optionOf)}
          </optgroup>
        ))}
      </select>
      <Icon name="chevronDown" size={14} className="pointer-events-none absolute end-2 top-2.25 text-soft" />
    </span>
  );
}

const optionOf = ({ value, label }: ChoiceOption) => (
  <option key={value} value={value}>
    {label}
  </option>
);

/** On or off, with its label beside it. */
export function Check({
  label,
  hint,
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { label: string; hint?: string }) {
  return (
    <label className={classNames('flex items-start gap-2 py-1', className)}>
      <input type="checkbox" {...rest} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>
        {label}
        {hint !== undefined && <span className="block text-sm text-soft">{hint}</span>}
      </span>
    </label>
  );
}
