import { useId, useRef, useState } from 'react';
import type { KeyboardEvent, Ref } from 'react';
import { classNames } from './class-names.js';
import { TextInput } from './field.js';
import type { FieldControl } from './field.js';
import { Icon } from './icon.js';

export interface Option {
  value: string;
  label: string;
  detail?: string;
}

interface ComboboxProps {
  control?: FieldControl;
  /** The name of the field where no label stands by it. */
  label?: string;
  options: readonly Option[];
  /** The options in force; with `multiple` they stand before the field and can be taken away. */
  chosen: readonly Option[];
  multiple?: boolean;
  isLoading?: boolean;
  emptyText: string;
  removeText: (label: string) => string;
  placeholder?: string;
  onQuery: (query: string) => void;
  onChange: (chosen: Option[]) => void;
  /** What typed text means when the field is left; null: the text stands on in the field. Without it, the text goes. */
  typed?: (text: string) => Option | null;
  className?: string;
}

/**
 * A field that searches while one types, after the combobox pattern of ARIA 1.2: arrow keys move, Enter takes, Esc closes. The
 * list is a popover, so that it stands above a dialog too.
 */
export function Combobox(props: ComboboxProps) {
  const { control, label, chosen, multiple = false, emptyText, placeholder, className } = props;
  const id = useId();
  const { boxRef, listRef, text, isOpen, active, shown, open, leave, search, take, move, press } = useCombobox(props);
  return (
    <div ref={boxRef} className={classNames('flex min-w-0 flex-wrap items-center gap-1', className)}>
      {multiple && <Chips {...props} />}
      <TextInput
        {...control}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && shown[active] ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => {
          open();
          search(target.value);
        }}
        onClick={open}
        onBlur={leave}
        onKeyDown={press}
        className="min-w-28 flex-1"
      />
      <Options
        id={id}
        listRef={listRef}
        label={label ?? placeholder ?? emptyText}
        shown={shown}
        chosen={chosen}
        active={active}
        emptyText={props.isLoading ? '…' : emptyText}
        onMove={move}
        onTake={take}
      />
    </div>
  );
}

/** The state of the field and its list. */
function useCombobox({ options, chosen, multiple = false, onQuery, onChange, typed }: ComboboxProps) {
  const boxRef = useRef<HTMLDivElement>(null);
  const listRef = useRef<HTMLUListElement>(null);
  const [query, setQuery] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const shown = options.filter(({ value }) => !multiple || chosen.every((one) => one.value !== value));
  const text = query ?? (multiple ? '' : (chosen[0]?.label ?? ''));
  const search = (next: string | null) => {
    setQuery(next);
    setActive(0);
    onQuery(next ?? '');
  };
  const open = () => {
    if (isOpen || !listRef.current || !boxRef.current) return;
    listRef.current.showPopover();
    placeList(listRef.current, boxRef.current.getBoundingClientRect());
    setOpen(true);
  };
  const close = (keepsText = false) => {
    if (!isOpen) return;
    listRef.current?.hidePopover();
    setOpen(false);
    if (!keepsText) search(null);
  };
  /** Takes what is typed. @returns whether the text is to stand on */
  const commit = (): boolean => {
    const wanted = query?.trim() ?? '';
    if (!typed || wanted === '') return false;
    const option = typed(wanted);
    if (option && chosen.every(({ value }) => value !== option.value))
      onChange(multiple ? [...chosen, option] : [option]);
    return option === null;
  };
  const take = (option: Option | undefined) => {
    if (!option) return;
    onChange(multiple ? [...chosen, option] : [option]);
    if (multiple) search('');
    else close();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      open();
      setActive((active + (event.key === 'ArrowDown' ? 1 : -1) + shown.length) % Math.max(1, shown.length));
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return close(commit());
    else if (event.key === 'Enter' && isOpen) take(shown[active]);
    else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'Backspace' && multiple && text === '') return onChange(chosen.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = () => isOpen && close(commit());
  return { boxRef, listRef, text, isOpen, active, shown, open, leave, search, take, move: setActive, press };
}

/** Below the field, or above it where there is no room. */
function placeList(list: HTMLElement, at: DOMRect): void {
  list.style.width = `${Math.max(at.width, 220)}px`;
  list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8))}px`;
  const isBelow = at.bottom + 260 < innerHeight || at.top < 260;
  list.style.top = isBelow ? `${at.bottom + 4}px` : 'auto';
  list.style.bottom = isBelow ? 'auto' : `${innerHeight - at.top + 4}px`;
}

/** The chosen options of a field that takes several. */
function Chips({ chosen, removeText, onChange }: ComboboxProps) {
  return chosen.map((option) => (
    <span
      key={option.value}
      className="inline-flex h-7 max-w-full items-center gap-1 rounded-md bg-sunk ps-2 pe-1 text-sm"
    >
      <span className="truncate">{option.label}</span>
      <button
        type="button"
        aria-label={removeText(option.label)}
        onClick={() => onChange(chosen.filter(({ value }) => value !== option.value))}
        className="grid size-6 place-items-center rounded-sm text-soft hover:text-ink"
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  ));
}

function Options({
  id,
  listRef,
  label,
  shown,
  chosen,
  active,
  emptyText,
  onMove,
  onTake,
}: {
  id: string;
  listRef: Ref<HTMLUListElement>;
  label: string;
  shown: readonly Option[];
  chosen: readonly Option[];
  active: number;
  emptyText: string;
  onMove: (place: number) => void;
  onTake: (option: Option) => void;
}) {
  return (
    <ul
      id={`${id}-list`}
      ref={listRef}
      role="listbox"
      aria-label={label}
      popover="manual"
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      className="fixed inset-auto m-0 max-h-64 overflow-auto rounded-lg border border-line bg-paper p-1 text-ink shadow-float"
    >
      {shown.map((option, place) => (
        <li
          key={option.value}
          id={`${id}-${place}`}
          role="option"
          aria-selected={chosen.some(({ value }) => value === option.value)}
          onPointerMove={() => onMove(place)}
          onClick={() => onTake(option)}
          className={classNames(
            'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1',
            place === active && 'bg-sunk',
          )}
        >
          <span className="min-w-0 flex-1 truncate">{option.label}</span>
          {option.detail !== undefined && <span className="truncate text-sm text-soft">{option.detail}</span>}
        </li>
      ))}
      {shown.length === 0 && (
        <li role="option" aria-disabled="true" aria-selected="false" className="px-2 py-1.5 text-soft">
          {emptyText}
        </li>
      )}
    </ul>
  );
}
