import { useEffect, useRef } from 'react';
import { stepText } from '../messages/en/workflow-steps.js';
import { MailHead } from '../parts/mail/mail-head.js';
import type { MailHeadFields } from '../parts/mail/mail-head.js';
import { MailWorkspace } from '../parts/mail/mail-workspace.js';
import type { PersonChoice } from '../parts/mail/preview-person.js';
import type { MailSource } from '../parts/mail/render-source.js';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/states.js';
import { changedFields } from './config-fields.js';
import type { Config } from './config-fields.js';
import { withChanged } from './edit-graph.js';
import type { FlowStep } from './flow-graph.js';
import { HistoryButtons } from './history-buttons.js';
import { letterConfig } from './letter.js';
import { SaveNote } from './save-note.js';
import { stepFaults } from './step-faults.js';
import type { DraftEdit } from './use-draft.js';
import type { Problem } from './use-problems.js';

/** The mail of a step in the editor of campaigns; what is written there changes the draft of the workflow. */
export function StepMail({
  draft,
  step,
  title,
  problems,
  person,
  onClose,
}: {
  draft: DraftEdit;
  step: FlowStep;
  title: string;
  problems: readonly Problem[];
  person: PersonChoice;
  onClose: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const faults = stepFaults(problems, step.id);
  const change = (part: Config) => {
    const config = without({ ...step.config, ...part });
    draft.change(withChanged(draft.graph, step.id, { config }), `${step.id}/${changedFields(step.config, config)}`);
  };
  return (
    <section aria-label={title}>
      <header className="mb-4 flex flex-wrap items-center gap-2">
        <Button icon="chevronLeft" onClick={onClose}>
          {stepText('mail.back')}
        </Button>
        <h2
          ref={heading}
          tabIndex={-1}
          className="min-w-0 flex-1 basis-48 truncate text-base font-semibold outline-none"
          dir="auto"
        >
          {title}
        </h2>
        <SaveNote state={draft.state} onRetry={() => void draft.save()} />
        <HistoryButtons draft={draft} />
      </header>
      <MailWorkspace mail={sourceOf(step.config)} person={person} onBody={(body) => change({ ...body })}>
        <MailHead
          head={headOf(step.config)}
          faults={faults}
          defaultSender={stepText('default')}
          onChange={(part) => change(partOf(part))}
        />
        {faults.content !== undefined && <Callout tone="bad">{faults.content}</Callout>}
        {step.config.contentType === 'MARKDOWN' && (
          <Callout
            tone="plain"
            action={
              <Button
                small
                onClick={() => {
                  const { content, contentType } = letterConfig();
                  change({ content, contentType });
                }}
              >
                {stepText('mail.visual')}
              </Button>
            }
          >
            {stepText('mail.visualNote')}
          </Callout>
        )}
      </MailWorkspace>
    </section>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const sourceOf = ({ subject, preview, content, contentType }: Config): MailSource => ({
  subject: textOf(subject),
  preview: textOf(preview),
  content,
  // As the API reads a mail that does not say it.
  contentType: (contentType ?? (typeof content === 'string' ? 'MARKDOWN' : 'MAILY')) as MailSource['contentType'],
});

const headOf = ({ subject, preview, senderId, replyTo }: Config): MailHeadFields => ({
  subject: textOf(subject),
  preview: textOf(preview),
  senderId: typeof senderId === 'string' ? senderId : null,
  replyTo: textOf(replyTo),
});

/** Fields as a config holds them: an empty one is left out. */
const partOf = (part: Partial<MailHeadFields>): Config =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, value === '' || value === null ? undefined : value]),
  );

const without = (config: Config): Config =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
