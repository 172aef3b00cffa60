import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../data/tools.calls.js';
import { commonText } from '../messages/en/common.js';
import { personText } from '../messages/en/subscriber.js';
import { Combobox } from '../ui/combobox.js';
import type { FieldControl } from '../ui/field.js';

const shownMax = 50;

/** Chooses tags by name; a name that no tag has yet is offered as a new one. */
export function TagPicker({
  names,
  onChange,
  control,
  label,
  placeholder,
  mayCreate = true,
}: {
  names: readonly string[];
  onChange: (names: string[]) => void;
  control?: FieldControl;
  label?: string;
  placeholder?: string;
  mayCreate?: boolean;
}) {
  const [query, setQuery] = useState('');
  const { data, isPending } = useQuery(queries.list_tags({}));
  const wanted = query.trim();
  const known = data?.tags ?? [];
  const found = known
    .filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, shownMax)
    .map(({ name }) => ({ value: name, label: name }));
  const isNew =
    mayCreate && wanted !== '' && known.every(({ name }) => name.toLowerCase() !== wanted.toLowerCase()) && !isPending;
  return (
    <Combobox
      multiple
      {...(control && { control })}
      {...(label !== undefined && { label })}
      {...(placeholder !== undefined && { placeholder })}
      options={isNew ? [...found, { value: wanted, label: wanted, detail: personText('newTag') }] : found}
      chosen={names.map((name) => ({ value: name, label: name }))}
      isLoading={isPending}
      emptyText={commonText('picker.empty')}
      removeText={(name) => commonText('picker.remove', { name })}
      typed={(text) => {
        const name = known.find((one) => one.name.toLowerCase() === text.toLowerCase())?.name ?? (mayCreate && text);
        return name ? { value: name, label: name } : null;
      }}
      onQuery={setQuery}
      onChange={(chosen) => onChange(chosen.map(({ value }) => value))}
    />
  );
}
