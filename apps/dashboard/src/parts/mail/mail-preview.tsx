import { useState } from 'react';
import { notify } from '../../data/notices.js';
import { mailText } from '../../messages/en/mail.js';
import { number } from '../../messages/format.js';
import { MailFrame } from '../mail-frame.js';
import { classNames } from '../../ui/class-names.js';
import { Icon } from '../../ui/icon.js';
import { Callout, Skeleton } from '../../ui/states.js';
import { PreviewPerson } from './preview-person.js';
import type { PersonChoice } from './preview-person.js';
import type { MailSource, ShownMail } from './render-source.js';
import { useMail } from './use-mail.js';

const views = ['desktop', 'phone', 'text'] as const;
type View = (typeof views)[number];

/** Gmail cuts a mail there. */
const kilobytesMax = 102;

/**
 * The mail as recipients see it, rendered in the browser while its author writes.
 * @param person offers to choose the subscriber whose copy is shown; without it, the preview is a sample
 */
export function MailPreview({ source, person: choice }: { source: MailSource; person?: PersonChoice }) {
  const [view, setView] = useState<View>('desktop');
  const [isDark, setDark] = useState(false);
  const { result, person } = useMail(source, choice?.subscriberId);
  return (
    <section aria-label={mailText('preview')} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div role="group" aria-label={mailText('view.label')} className="flex gap-1">
          {views.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === view}
              onClick={() => setView(one)}
              className={tabClass(one === view)}
            >
              {mailText(`view.${one}`)}
            </button>
          ))}
        </div>
        {view !== 'text' && (
          <button type="button" aria-pressed={isDark} onClick={() => setDark(!isDark)} className={tabClass(isDark)}>
            <Icon name="moon" size={14} />
            {mailText('dark')}
          </button>
        )}
        {result && 'mail' in result && <Weight bytes={result.mail.bytes} />}
      </div>
      {choice && <PreviewPerson choice={choice} email={person.email} error={person.error} />}
      {!result && <Skeleton className="h-96" />}
      {result && 'problems' in result && (
        <Callout tone="bad">
          <p>{mailText('preview.invalid')}</p>
          {result.problems.slice(0, 5).map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Callout>
      )}
      {result && 'failed' in result && <Callout tone="bad">{mailText('preview.failed')}</Callout>}
      {result && 'mail' in result && (
        <Mail mail={result.mail} isPart={source.isPart === true} view={view} isDark={isDark} />
      )}
      {result && 'mail' in result && <Warnings warnings={result.mail.warnings} />}
    </section>
  );
}

const tabClass = (isOn: boolean) =>
  classNames(
    'flex h-7 items-center gap-1.5 rounded-md px-2.5 text-sm font-medium focus-visible:-outline-offset-2',
    isOn ? 'bg-sunk text-ink' : 'text-soft hover:bg-sunk/60 hover:text-ink',
  );

function Weight({ bytes }: { bytes: number }) {
  const kilobytes = Math.ceil(bytes / 1024);
  const isHeavy = kilobytes > kilobytesMax;
  return (
    <span
      title={mailText('preview.sizeHint')}
      className={classNames('ms-auto flex items-center gap-1.5 text-sm tabular', isHeavy ? 'text-bad' : 'text-soft')}
    >
      {isHeavy && <Icon name="warning" />}
      {mailText('preview.size', { size: number(kilobytes) })}
    </span>
  );
}

function Mail({ mail, isPart, view, isDark }: { mail: ShownMail; isPart: boolean; view: View; isDark: boolean }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-ground">
      {!isPart && (
        <div className="border-b border-line bg-paper px-4 py-2.5">
          <p className="truncate font-semibold">{mail.subject}</p>
          <p className="truncate text-sm text-soft">{mail.preview ?? ' '}</p>
        </div>
      )}
      {view === 'text' ? (
        <pre className="overflow-x-auto p-4 font-mono text-sm wrap-anywhere whitespace-pre-wrap">{mail.text}</pre>
      ) : (
        <div className="mx-auto" style={{ maxWidth: view === 'phone' ? 375 : 600 }}>
          <MailFrame
            html={mail.html}
            title={mailText('preview.frame')}
            isDark={isDark}
            onLink={(address) => notify({ kind: 'done', text: mailText('preview.link', { address }) })}
          />
        </div>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: ShownMail['warnings'] }) {
  if (warnings.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-sm text-soft">
        <Icon name="check" className="text-good" />
        {mailText('noWarnings')}
      </p>
    );
  return (
    <Callout tone="warn">
      <p className="font-medium">{mailText('warnings', { count: warnings.length })}</p>
      <ul className="mt-1 flex list-disc flex-col gap-0.5 ps-4">
        {warnings.map(({ code, message }) => (
          <li key={code + message}>{message}</li>
        ))}
      </ul>
    </Callout>
  );
}
