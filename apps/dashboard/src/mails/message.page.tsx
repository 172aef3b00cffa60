import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queries } from '../data/tools.calls.js';
import { reasonText } from '../messages/en/api-words.js';
import { messageText } from '../messages/en/messages.js';
import { dateTime, number } from '../messages/format.js';
import { CopiedValue } from '../parts/copied-value.js';
import { CopyAs } from '../parts/copy-as.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { ScreenLink } from '../parts/screen-link.js';
import { Section } from '../ui/section.js';
import { Callout, Skeleton } from '../ui/states.js';
import { MailContent } from './mail-content.js';
import { MessageBadge } from './mail-status.js';
import type { Message } from './mail-status.js';
import { ServerReplies } from './server-replies.js';

const link = 'underline underline-offset-2 hover:text-accent';

/** One mail to one recipient: its state, the replies of the mail server, and its content while that is kept. */
export function MessagePage() {
  const { messageId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(queries.get_message({ messageId }));
  const message = data?.message;
  return (
    <Page
      title={message ? subjectOf(message) : messageText('title')}
      wide={false}
      lead={
        <ScreenLink screen="messages" className="underline underline-offset-2">
          {messageText('allMessages')}
        </ScreenLink>
      }
      actions={
        message && (
          <>
            <MessageBadge status={message.status} />
            <CopyAs tool="get_message" input={{ messageId }} />
          </>
        )
      }
    >
      {error && <ErrorNotice error={error} isStale={message !== undefined} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-48" />}
      {data && (
        <div className="flex flex-col gap-8">
          {data.message.simulated && <Callout>{messageText('simulated')}</Callout>}
          <Facts message={data.message} />
          <ServerReplies replies={data.replies} />
          <Section title={messageText('content')}>
            {data.content ? (
              <MailContent content={data.content} />
            ) : (
              <p className="max-w-prose text-soft">{messageText('content.none')}</p>
            )}
          </Section>
        </div>
      )}
    </Page>
  );
}

const subjectOf = ({ subject }: Message): string => (subject === '' ? messageText('noSubject') : subject);

const instants = [
  ['created', 'createdAt'],
  ['due', 'dueAt'],
  ['sent', 'sentAt'],
  ['delivered', 'deliveredAt'],
  ['opened', 'openedAt'],
  ['clicked', 'clickedAt'],
] as const;

function Facts({ message }: { message: Message }) {
  const { subscriberId, email, kind, campaignId, campaignName, reason, attempts, messageId } = message;
  return (
    <section aria-label={messageText('facts')}>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-2">
        <Fact name="email">
          {subscriberId === null ? (
            email
          ) : (
            <ScreenLink screen="subscriber" params={{ subscriberId }} className={link}>
              {email}
            </ScreenLink>
          )}
        </Fact>
        <Fact name="kind">{messageText(`kind.${kind}`)}</Fact>
        {campaignId !== null && (
          <Fact name="campaign">
            <ScreenLink screen="campaign" params={{ campaignId }} className={link}>
              {campaignName ?? campaignId}
            </ScreenLink>
          </Fact>
        )}
        {reason !== null && <Fact name="reason">{reasonText(reason)}</Fact>}
        <Fact name="attempts">{number(attempts)}</Fact>
        {instants.map(([name, key]) => {
          const at = message[key];
          return at === null ? null : (
            <Fact key={name} name={name}>
              {dateTime(at)}
            </Fact>
          );
        })}
        <Fact name="id">
          <CopiedValue value={messageId} what={messageText('idOf')} />
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: Parameters<typeof messageText>[0]; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{messageText(name)}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
