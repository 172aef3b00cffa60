import * as z from 'zod/mini';
import type { ToolData } from '#client';
import { messageText } from '../messages/en/messages.js';
import { MailFrame } from '../parts/mail-frame.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { StatusTabs } from '../parts/status-tabs.js';

const searchPart = z.object({ view: z.optional(z.literal('text')) });

type Content = NonNullable<ToolData<'get_message'>['content']>;

/** The mail as it was given for sending; which part is shown stands in the address. */
export function MailContent({ content: { html, text } }: { content: Content }) {
  const [{ view }, setSearch] = useScreenSearch(searchPart);
  const shown = html === null || (view === 'text' && text !== null) ? 'text' : 'html';
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      {html !== null && text !== null && (
        <div className="border-b border-line bg-ground px-3 py-2">
          <StatusTabs
            label={messageText('view')}
            value={shown}
            onChange={(value) => setSearch({ view: value === 'text' ? value : undefined }, { replace: true })}
            tabs={(['html', 'text'] as const).map((value) => ({ value, label: messageText(`view.${value}`) }))}
          />
        </div>
      )}
      {shown === 'html' && html !== null ? (
        <MailFrame html={html} title={messageText('frame')} />
      ) : (
        <pre tabIndex={0} className="max-h-128 overflow-auto p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          {text}
        </pre>
      )}
    </div>
  );
}
