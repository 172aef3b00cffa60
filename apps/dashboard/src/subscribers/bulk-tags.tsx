import { useEffect, useRef, useState } from 'react';
import { notify } from '../data/notices.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { commonText } from '../messages/en/common.js';
import { personText } from '../messages/en/subscriber.js';
import { subscriberText } from '../messages/en/subscribers.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { TagPicker } from '../parts/tag-picker.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { inChunks } from './in-chunks.js';
import type { ChunkProgress } from './in-chunks.js';

const perCall = 100;

/** Buttons that add tags to the selected subscribers, or take them away. */
export function BulkTags({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const [change, setChange] = useState<'add' | 'remove' | null>(null);
  return (
    <>
      <Button small icon="tag" onClick={() => setChange('add')}>
        {subscriberText('bulk.add')}
      </Button>
      <Button small onClick={() => setChange('remove')}>
        {subscriberText('bulk.remove')}
      </Button>
      {change !== null && (
        <BulkTagsDialog
          change={change}
          ids={ids}
          onClose={() => setChange(null)}
          onDone={() => {
            setChange(null);
            onDone();
          }}
        />
      )}
    </>
  );
}

function BulkTagsDialog({
  change,
  ids,
  onClose,
  onDone,
}: {
  change: 'add' | 'remove';
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
}) {
  const [tagNames, setTagNames] = useState<string[]>([]);
  const { now, isRunning, error, run, stop } = useTagging(change, ids, tagNames);
  const isBegun = now.done > 0;
  const start = async () => {
    const finished = await run();
    if (!finished) return;
    notify({
      kind: 'done',
      text: subscriberText(change === 'add' ? 'bulk.added' : 'bulk.removed', { count: finished.changed }),
    });
    onDone();
  };
  const title = subscriberText(`bulk.${change}`);
  return (
    <Dialog
      title={title}
      onClose={() => (isRunning ? stop() : onClose())}
      footer={
        <>
          {isRunning ? (
            <Button onClick={stop}>{subscriberText('bulk.stop')}</Button>
          ) : (
            <Button onClick={onClose}>{commonText(isBegun ? 'close' : 'cancel')}</Button>
          )}
          <Button look="primary" busy={isRunning} disabled={tagNames.length === 0} onClick={() => void start()}>
            {isBegun && !isRunning ? subscriberText('bulk.continue') : title}
          </Button>
        </>
      }
    >
      <div className="flex min-h-24 flex-col gap-3">
        {error !== null && <ErrorNotice error={error} />}
        <fieldset disabled={isRunning || isBegun}>
          <Field label={personText('tags')}>
            {(control) => (
              <TagPicker control={control} names={tagNames} onChange={setTagNames} mayCreate={change === 'add'} />
            )}
          </Field>
        </fieldset>
        <p role="status" className="text-sm text-soft tabular">
          {isRunning || isBegun
            ? subscriberText(isRunning ? 'bulk.progress' : 'bulk.stopped', { done: now.done, count: ids.length })
            : commonText('list.selected', { count: ids.length })}
        </p>
      </div>
    </Dialog>
  );
}

/** Tags the subscribers in parts. A stop takes effect after the part that is being carried out. */
function useTagging(change: 'add' | 'remove', ids: readonly string[], tagNames: string[]) {
  const [now, setNow] = useState<ChunkProgress>({ done: 0, changed: 0 });
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);
  const add = useAction(actions.bulk_add_tags());
  const remove = useAction(actions.bulk_remove_tags());
  // A dialog that is gone must not go on unseen.
  useEffect(() => () => void (isStopped.current = true), []);
  const { run: call } = change === 'add' ? add : remove;
  /** @returns what was done once all is done; null if it was stopped or failed */
  const run = async (): Promise<ChunkProgress | null> => {
    isStopped.current = false;
    setRunning(true);
    setError(null);
    try {
      const tag = async (part: string[]) => (await call({ subscriberIds: part, tagNames })).subscribers;
      const options = { from: now, report: setNow, isStopped: () => isStopped.current };
      const end = await inChunks(ids, perCall, tag, options);
      return end.done === ids.length ? end : null;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setRunning(false);
    }
  };
  return { now, isRunning, error, run, stop: () => void (isStopped.current = true) };
}
