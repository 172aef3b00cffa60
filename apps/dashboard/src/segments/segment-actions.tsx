import { notify } from '../data/notices.js';
import { approvalOf, isDeclined } from '../data/refusal.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { segmentText } from '../messages/en/segments.js';
import { ScreenLink, useGo } from '../parts/screen-link.js';
import { buttonClass } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';
import type { Segment } from './segment.js';

/** What can be done with a stored segment beside saving it. */
export function SegmentActions({ segment, onRefused }: { segment: Segment; onRefused: (error: unknown) => void }) {
  const { id: segmentId, name, filters, updatedAt } = segment;
  const go = useGo();
  const duplicate = useAction(actions.duplicate_segment());
  const remove = useAction(actions.delete_segment());
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isDeclined(error) && !approvalOf(error)) onRefused(error);
    }
  };
  const copy = () =>
    attempt(async () => {
      const made = await duplicate.run({ segmentId });
      notify({ kind: 'done', text: segmentText('duplicated', { name: made.segment.name }) });
      go({ screen: 'segment', params: { segmentId: made.segmentId } });
    });
  const erase = () =>
    attempt(async () => {
      await remove.run({ segmentId }, { button: segmentText('delete'), ifMatch: updatedAt });
      notify({ kind: 'done', text: segmentText('deleted', { name }) });
      go({ screen: 'segments', replace: true });
    });
  return (
    <Popover
      align="end"
      label={segmentText('more')}
      buttonClassName={classNames(buttonClass('plain'), 'w-8 px-0!')}
      button={<Icon name="more" />}
    >
      {(close) => (
        <>
          <ScreenLink screen="subscribers" search={{ filters }} className={menuItemClass} onClick={close}>
            <Icon name="people" />
            {segmentText('show')}
          </ScreenLink>
          <button type="button" className={menuItemClass} onClick={() => (close(), void copy())}>
            <Icon name="copy" />
            {segmentText('duplicate')}
          </button>
          <button
            type="button"
            className={classNames(menuItemClass, 'text-bad')}
            onClick={() => (close(), void erase())}
          >
            <Icon name="trash" />
            {segmentText('delete')}
          </button>
        </>
      )}
    </Popover>
  );
}
