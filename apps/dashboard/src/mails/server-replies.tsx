import type { ToolData } from '#client';
import { messageText } from '../messages/en/messages.js';
import { dateTime } from '../messages/format.js';
import { Section } from '../ui/section.js';

type Reply = ToolData<'get_message'>['replies'][number];

/** What the mail server said at the last attempt, and the reports that came later. */
export function ServerReplies({ replies }: { replies: readonly Reply[] }) {
  return (
    <Section title={messageText('replies')}>
      {replies.length === 0 && <p className="text-soft">{messageText('noReplies')}</p>}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {replies.map(({ kind, at, code, enhancedCode, text }, place) => (
          <li key={place} className="flex flex-col gap-1 px-4 py-3">
            <p className="flex flex-wrap justify-between gap-x-4 text-sm text-soft">
              <span>
                {[kind === 'REPLY' ? messageText('reply.REPLY') : kind, code, enhancedCode].filter(Boolean).join(' · ')}
              </span>
              {at !== null && <span>{dateTime(at)}</span>}
            </p>
            <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{text}</pre>
          </li>
        ))}
      </ul>
    </Section>
  );
}
