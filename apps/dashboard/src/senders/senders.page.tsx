import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolData } from '#client';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions, queries } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { senderText } from '../messages/en/senders.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { RowMenu } from '../parts/row-menu.js';
import { Button } from '../ui/button.js';
import { Badge, Skeleton } from '../ui/states.js';
import { CreateSender } from './create-sender.js';

type Sender = ToolData<'get_email_senders'>['senders'][number];

/** The addresses that mail comes from. */
export function SendersPage() {
  const { data, error, refetch } = useQuery(queries.get_email_senders({}));
  const [isNew, setNew] = useState(false);
  const mayWrite = mayAct('editor');
  return (
    <Page
      title={senderText('title')}
      lead={senderText('lead')}
      wide={false}
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" data-compose="" onClick={() => setNew(true)}>
            {senderText('add')}
          </Button>
        )
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      <ul className="divide-y divide-line border-y border-line empty:hidden">
        {data?.senders.map((sender) => (
          <SenderRow key={sender.id} sender={sender} mayWrite={mayWrite} />
        ))}
      </ul>
      {isNew && <CreateSender onClose={() => setNew(false)} />}
    </Page>
  );
}

function SenderRow({ sender, mayWrite }: { sender: Sender; mayWrite: boolean }) {
  const { id, email, displayName, replyTo, isDefault } = sender;
  const choose = useAction(actions.set_default_sender());
  const remove = useAction(actions.delete_email_sender({ button: senderText('removeButton') }));
  const saying = async (work: () => Promise<unknown>, text: string) => {
    try {
      await work();
      notify({ kind: 'done', text });
    } catch (error) {
      reportFailure(error);
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-center gap-2">
          <span className="min-w-0 truncate font-medium">{displayName}</span>
          {isDefault && <Badge tone="info">{senderText('isDefault')}</Badge>}
        </p>
        <p className="text-sm text-soft wrap-anywhere">
          {email}
          {replyTo !== null && ` · ${senderText('replies', { email: replyTo })}`}
        </p>
      </div>
      {mayWrite && (
        <RowMenu
          label={senderText('actions', { email })}
          items={[
            ...(isDefault
              ? []
              : [
                  {
                    text: senderText('makeDefault'),
                    icon: 'check' as const,
                    onClick: () =>
                      void saying(() => choose.run({ senderId: id }), senderText('madeDefault', { email })),
                  },
                ]),
            {
              text: senderText('removeButton'),
              icon: 'trash',
              isDanger: true,
              onClick: () => void saying(() => remove.run({ senderId: id }), senderText('removed', { email })),
            },
          ]}
        />
      )}
    </li>
  );
}
