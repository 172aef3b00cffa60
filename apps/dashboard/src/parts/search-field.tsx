import { classNames } from '../ui/class-names.js';
import { TextInput } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { useAddressDraft } from './use-address-draft.js';

const settled = { ms: 250, settle: (text: string) => text.trim() };

/** A search that takes effect once typing pauses; `/` leads here. */
export function SearchField({
  label,
  value,
  onChange,
  className,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}) {
  const [text, setText] = useAddressDraft(value, onChange, settled);
  return (
    <div className={classNames('relative', className)}>
      <Icon name="search" size={14} className="pointer-events-none absolute start-2.5 top-2.25 text-soft" />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="ps-8"
      />
    </div>
  );
}
