import { useState } from 'react';
import { approvalText } from '../messages/en/approvals.js';
import { MailFrame } from '../parts/mail-frame.js';
import { StatusTabs } from '../parts/status-tabs.js';
import type { Approval } from './approval-state.js';

const views = ['html', 'text'] as const;

/** The mail as a sample recipient would get it. */
export function ApprovalMail({ mail }: { mail: NonNullable<Approval['preview']> }) {
  const [view, setView] = useState<(typeof views)[number]>('html');
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line bg-ground px-3 py-2">
        <div className="min-w-0 flex-1">
          <p className="font-medium wrap-anywhere">
            <span className="sr-only">{approvalText('subject')} </span>
            {mail.subject}
          </p>
          {mail.preview && <p className="text-sm text-soft wrap-anywhere">{mail.preview}</p>}
          {mail.renderedFor !== null && (
            <p className="text-xs text-soft wrap-anywhere">
              {approvalText('renderedFor', { email: mail.renderedFor })}
            </p>
          )}
        </div>
        <StatusTabs
          label={approvalText('mailView')}
          value={view}
          onChange={setView}
          tabs={views.map((value) => ({ value, label: approvalText(`mailView.${value}`) }))}
        />
      </div>
      {view === 'html' ? (
        <MailFrame html={mail.html} title={approvalText('mailFrame')} />
      ) : (
        <pre className="max-h-128 overflow-auto p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          {mail.text}
        </pre>
      )}
    </div>
  );
}
