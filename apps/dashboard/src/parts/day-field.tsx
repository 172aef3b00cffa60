import { TextInput } from '../ui/field.js';
import { useAddressDraft } from './use-address-draft.js';

/** A day in the address; the browser changes it at each key, so that the address waits for a pause. */
export function DayField({
  label,
  value = '',
  onChange,
}: {
  label: string;
  /** YYYY-MM-DD */
  value?: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  const [day, setDay] = useAddressDraft(value, (next) => onChange(next || undefined));
  return (
    <label className="flex items-center gap-1.5 text-sm text-soft">
      {label}
      <TextInput type="date" value={day} onChange={({ target }) => setDay(target.value)} className="w-34!" />
    </label>
  );
}
