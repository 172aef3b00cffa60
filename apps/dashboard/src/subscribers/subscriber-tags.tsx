import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { personText } from '../messages/en/subscriber.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { TagPicker } from '../parts/tag-picker.js';
import { Badge } from '../ui/states.js';
import type { Details } from './subscriber-details.js';

/** The tags of one person; a change takes effect at once and can be taken back. */
export function SubscriberTags({ subscriber }: { subscriber: Details['subscriber'] }) {
  const add = useAction(actions.bulk_add_tags());
  const remove = useAction(actions.bulk_remove_tags());
  const names = subscriber.tags.map(({ name }) => name);
  const change = async (next: string[]) => {
    const added = next.filter((name) => !names.includes(name));
    const removed = names.filter((name) => !next.includes(name));
    const subscriberIds = [subscriber.id];
    try {
      if (added.length > 0) await add.run({ subscriberIds, tagNames: added });
      if (removed.length > 0) {
        await remove.run({ subscriberIds, tagNames: removed });
        notify({
          kind: 'done',
          text: personText('tagRemoved', { name: removed.join(', ') }),
          undo: async () => void (await add.run({ subscriberIds, tagNames: removed })),
        });
      }
    } catch {
      // The refusal is shown below.
    }
  };
  const error = add.error ?? remove.error;
  return (
    <section aria-label={personText('tags')} className="flex flex-col gap-2">
      <h2 className="font-semibold">{personText('tags')}</h2>
      {error && <ErrorNotice error={error} />}
      {mayAct('editor') ? (
        <TagPicker
          names={names}
          label={personText('addTag')}
          placeholder={personText('addTag')}
          onChange={(next) => void change(next)}
        />
      ) : (
        <div className="flex flex-wrap gap-1">
          {names.length === 0 && <span className="text-soft">{personText('tagsNone')}</span>}
          {names.map((name) => (
            <Badge key={name}>{name}</Badge>
          ))}
        </div>
      )}
    </section>
  );
}
