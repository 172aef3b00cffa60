import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { issuesByField } from '../data/refusal.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { styleText } from '../messages/en/writing-style.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { Button } from '../ui/button.js';
import { Field, TextArea, TextInput } from '../ui/field.js';
import { Skeleton } from '../ui/states.js';

type Style = ToolData<'get_writing_style'>['writingStyle'];

const areas = ['persona', 'audience', 'vocabulary', 'rules'] as const;
const limits = { name: 255, area: 10_000 };

/** The writing style of the organization, which agents read before they write. */
export function WritingStylePage() {
  const { data, error, refetch } = useQuery(queries.get_writing_style({}));
  return (
    <Page
      title={styleText('title')}
      lead={styleText('lead')}
      wide={false}
      actions={<CopyAs tool="get_writing_style" input={{}} />}
    >
      {error && <ErrorNotice error={error} isStale={data !== undefined} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-64" />}
      {data && <StyleForm style={data.writingStyle} />}
    </Page>
  );
}

/** Only what was changed is sent, so that it does not undo what others change meanwhile. */
function StyleForm({ style }: { style: Style }) {
  const update = useAction(actions.update_writing_style());
  const [draft, setDraft] = useState<Partial<Style>>({});
  const changes = Object.entries(draft).filter(([key, value]) => value.trim() !== style[key as keyof Style]);
  const { byField } = issuesByField(update.error, ['name', ...areas]);
  const save = async () => {
    await update.run(Object.fromEntries(changes));
    setDraft({});
    notify({ kind: 'done', text: styleText('saved') });
  };
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (changes.length > 0 && !update.isPending) void save().catch(() => undefined);
      }}
    >
      <fieldset disabled={!mayAct('editor')} className="flex flex-col gap-5">
        <Field label={styleText('name')} fault={byField.name}>
          {(control) => (
            <TextInput
              {...control}
              maxLength={limits.name}
              value={draft.name ?? style.name}
              onChange={({ target }) => setDraft({ ...draft, name: target.value })}
              className="max-w-md"
            />
          )}
        </Field>
        {areas.map((key) => (
          <Field key={key} label={styleText(key)} hint={styleText(`${key}Hint`)} fault={byField[key]}>
            {(control) => (
              <TextArea
                {...control}
                rows={4}
                maxLength={limits.area}
                value={draft[key] ?? style[key]}
                onChange={({ target }) => setDraft({ ...draft, [key]: target.value })}
              />
            )}
          </Field>
        ))}
      </fieldset>
      {update.error && Object.keys(byField).length === 0 && <ErrorNotice error={update.error} />}
      {mayAct('editor') && (
        <div className="sticky bottom-0 -mx-1 flex gap-2 border-t border-line bg-paper px-1 py-3">
          <Button look="primary" type="submit" busy={update.isPending} disabled={changes.length === 0}>
            {commonText('save')}
          </Button>
          {changes.length > 0 && (
            <Button look="quiet" onClick={() => setDraft({})}>
              {styleText('discard')}
            </Button>
          )}
        </div>
      )}
    </form>
  );
}
