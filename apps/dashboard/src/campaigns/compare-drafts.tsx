import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { mailText } from '../messages/en/mail.js';
import { CompareDialog } from '../parts/compare-dialog.js';
import type { ComparedPart, Side } from '../parts/compare-dialog.js';
import { comparedKeys, mergeDrafts } from './draft.js';
import type { ComparedKey, Draft } from './draft.js';
import { MailPreview } from '../parts/mail/mail-preview.js';

const labels: Record<ComparedKey, () => string> = {
  name: () => campaignText('name'),
  subject: () => mailText('subject'),
  preview: () => mailText('previewText'),
  content: () => campaignText('content'),
  senderId: () => mailText('sender'),
  replyTo: () => mailText('replyTo'),
};

/** What another author saved beside what is typed here; each part is taken from one of both. */
export function CompareDrafts({
  base,
  mine,
  theirs,
  onClose,
  onChoose,
}: {
  /** The version that both began with. */
  base: Draft;
  mine: Draft;
  theirs: Draft;
  onClose: () => void;
  onChoose: (draft: Draft) => void;
}) {
  const { data } = useQuery(queries.get_email_senders({}));
  const valueOf = (draft: Draft, key: ComparedKey): ReactNode => {
    if (key === 'content') return <MailPreview source={draft} />;
    if (key === 'senderId') {
      const sender = data?.senders.find(({ id }) => id === draft.senderId);
      return sender ? `${sender.displayName} <${sender.email}>` : mailText('sender.none');
    }
    return draft[key].trim() === '' ? campaignText('stale.empty') : draft[key];
  };
  const parts = comparedKeys(base, mine, theirs).map(({ key, side }): ComparedPart<ComparedKey> => ({
    key,
    side,
    label: labels[key](),
    theirs: valueOf(theirs, key),
    mine: valueOf(mine, key),
  }));
  return (
    <CompareDialog
      title={campaignText('stale.title')}
      parts={parts}
      onClose={onClose}
      onSave={(sides: Record<ComparedKey, Side>) => onChoose(mergeDrafts(mine, theirs, sides))}
    />
  );
}
