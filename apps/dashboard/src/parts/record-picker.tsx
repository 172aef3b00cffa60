import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { Combobox } from '../ui/combobox.js';
import type { Option } from '../ui/combobox.js';
import type { FieldControl } from '../ui/field.js';
import { mayAct } from './own-role.js';
import { useSettled } from './use-settled.js';

/** Nouns whose records can be chosen by name. */
export type PickedNoun = 'tag' | 'segment' | 'campaign' | 'workflow' | 'field' | 'sender' | 'subscriber';

interface PickerProps {
  noun: PickedNoun;
  /** The ids in force. */
  ids: readonly string[];
  onChange: (ids: string[], records: Option[]) => void;
  multiple?: boolean;
  control?: FieldControl;
  label?: string;
  placeholder?: string;
  className?: string;
  /** Records whose names the page knows without a search. */
  known?: readonly Option[];
}

/**
 * Chooses records of a noun by name: `<RecordPicker noun="segment" ids={…} onChange={…} />`. Records that are no longer there
 * are shown by their id.
 */
export function RecordPicker({ noun, ids, onChange, multiple = false, known = [], ...rest }: PickerProps) {
  const [query, setQuery] = useState('');
  const { options, isLoading } = useOptions(noun, query);
  // Chosen records leave the page of results as one types on.
  const [taken, setTaken] = useState<readonly Option[]>([]);
  const [choices, create] = useNewTag(noun, query, options, isLoading);
  const chosen = ids.map(
    (id) => [...options, ...taken, ...known].find(({ value }) => value === id) ?? { value: id, label: id },
  );
  const take = (records: Option[]) => {
    setTaken(records);
    onChange(
      records.map(({ value }) => value),
      records,
    );
  };
  return (
    <Combobox
      {...rest}
      options={choices}
      chosen={chosen}
      multiple={multiple}
      isLoading={isLoading}
      emptyText={commonText('picker.empty')}
      removeText={(name) => commonText('picker.remove', { name })}
      // A tag that is typed in full is meant; the text of any other stays, so that it can still be created.
      {...(noun === 'tag' && {
        typed: (text) => options.find(({ label }) => label.toLowerCase() === text.toLowerCase()) ?? null,
      })}
      onQuery={setQuery}
      onChange={(records) => {
        if (!records.some(({ value }) => value === newTagValue)) return take(records);
        void create(records).then(take).catch(reportFailure);
      }}
    />
  );
}

/** In the place of an id; ids of tags begin with `tag_`. */
const newTagValue = '+';

/**
 * Offers to create a tag of the name that is typed, if there is none.
 * @returns the options with that one, and a function that makes chosen options records
 */
function useNewTag(noun: PickedNoun, query: string, options: readonly Option[], isLoading: boolean) {
  const make = useAction(actions.get_or_create_tags());
  const name = query.trim();
  const isNew =
    noun === 'tag' &&
    name !== '' &&
    !isLoading &&
    mayAct('editor') &&
    options.every(({ label }) => label.toLowerCase() !== name.toLowerCase());
  const choices = isNew
    ? [...options, { value: newTagValue, label: commonText('picker.createTag', { name }) }]
    : options;
  const create = async (given: readonly Option[]): Promise<Option[]> => {
    const { tags } = await make.run({ names: [name] });
    const [made] = tags.map((tag) => ({ value: tag.id, label: tag.name }));
    return given.map((option) => (option.value === newTagValue ? made! : option));
  };
  return [choices, create] as const;
}

const shownMax = 50;

/** The records of a noun that fit a text: those of short lists are read once, others are searched. */
function useOptions(noun: PickedNoun, query: string): { options: readonly Option[]; isLoading: boolean } {
  const settled = useSettled(query, 200);
  const search = settled === '' ? {} : { query: settled };
  const tags = useQuery({ ...queries.list_tags({}), enabled: noun === 'tag' });
  const segments = useQuery({ ...queries.list_segments({ limit: 100 }), enabled: noun === 'segment' });
  const fields = useQuery({ ...queries.get_custom_fields({}), enabled: noun === 'field' });
  const senders = useQuery({ ...queries.get_email_senders({}), enabled: noun === 'sender' });
  const campaigns = useQuery({
    ...queries.search_campaigns({ ...search, limit: shownMax }),
    enabled: noun === 'campaign',
  });
  const workflows = useQuery({
    ...queries.search_workflows({ ...search, limit: shownMax }),
    enabled: noun === 'workflow',
  });
  const subscribers = useQuery({
    ...queries.search_subscribers({ ...search, status: 'ALL', limit: shownMax }),
    enabled: noun === 'subscriber',
  });
  const named = (rows: readonly { id: string; name: string }[] | undefined): Option[] | undefined =>
    rows?.map(({ id, name }) => ({ value: id, label: name }));
  const found: Record<PickedNoun, readonly Option[] | undefined> = {
    tag: named(tags.data?.tags),
    segment: named(segments.data?.segments),
    field: named(fields.data?.customFields),
    sender: senders.data?.senders.map(({ id, displayName, email }) => ({
      value: id,
      label: displayName,
      detail: email,
    })),
    campaign: named(campaigns.data?.campaigns),
    workflow: named(workflows.data?.workflows),
    subscriber: subscribers.data?.subscribers.map(({ id, email, name }) => ({
      value: id,
      label: email,
      ...(name !== null && { detail: name }),
    })),
  };
  // By what is typed now: Enter must not take what the search of a moment ago found.
  const wanted = query.toLowerCase();
  const options = (found[noun] ?? []).filter(({ label, detail = '' }) =>
    `${label} ${detail}`.toLowerCase().includes(wanted),
  );
  return { options: options.slice(0, shownMax), isLoading: found[noun] === undefined || settled !== query };
}
