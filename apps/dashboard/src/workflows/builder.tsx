import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { announce } from '../data/announcements.js';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { buildText } from '../messages/en/workflow-build.js';
import { useSentence } from '../parts/filter/use-sentence.js';
import { mayAct } from '../parts/own-role.js';
import type { PersonChoice } from '../parts/mail/preview-person.js';
import { useWaitingApproval } from '../parts/use-waiting-approval.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Badge, Callout, EmptyState, Skeleton } from '../ui/states.js';
import { useNarrow } from '../ui/use-narrow.js';
import { Changes } from './changes.js';
import { withoutStep, withShifted } from './edit-graph.js';
import type { Place } from './edit-graph.js';
import type { FlowStep } from './flow-graph.js';
import { HistoryButtons } from './history-buttons.js';
import type { OutlineProps } from './outline-list.js';
import { LazyOutline } from './lazy-outline.js';
import { ProblemList } from './problem-list.js';
import { SaveNote } from './save-note.js';
import { titlesOf } from './step-words.js';
import { useDraft } from './use-draft.js';
import type { DraftEdit } from './use-draft.js';
import { useProblems } from './use-problems.js';
import type { Problems } from './use-problems.js';
import { ViewTabs } from './view-tabs.js';
import type { View } from './view-tabs.js';
import type { Workflow } from './workflow-status.js';
import { typeWord } from './step-labels.js';

// The editor and its renderer come with the first mail that is opened.
// Once a step is chosen.
const StepPanel = lazy(async () => ({ default: (await import('./step-panel.js')).StepPanel }));
const AddStep = lazy(async () => ({ default: (await import('./add-step.js')).AddStep }));
const StepMail = lazy(async () => ({ default: (await import('./step-mail.js')).StepMail }));
const FlowCanvas = lazy(async () => ({ default: (await import('./flow-canvas.js')).FlowCanvas }));

interface Shown {
  /** As it is stored now. */
  workflow: Workflow;
  step: string | undefined;
  view: View;
  /** The mail of the step is open in its editor. */
  isMailOpen: boolean;
  /** The subscriber whose copy of that mail is shown. */
  person: PersonChoice;
  onSelect: (step: string | undefined) => void;
  onView: (view: View) => void;
  onMail: (isOpen: boolean) => void;
}

/** Changes a draft: its steps, or the mail of one of them. */
export function Builder({ start, ...shown }: Shown & { start: Workflow }) {
  const { workflow, step, onMail } = shown;
  const draft = useDraft(start);
  const { graph } = draft;
  const checked = useProblems(workflow.id, graph, draft.saved);
  const sentence = useSentence();
  const titleOf = titlesOf(graph, sentence);
  const selected = graph.steps.find(({ id }) => id === step);
  const isMailOpen = shown.isMailOpen && selected?.type === 'EMAIL' && selected.config.campaignId === undefined;
  useReturn(isMailOpen);
  if (!isMailOpen) return <Steps {...{ ...shown, draft, checked, sentence, titleOf, selected }} />;
  return (
    <>
      <StaleNotice draft={draft} />
      <Suspense fallback={<Skeleton className="h-96" />}>
        <StepMail
          key={selected.id}
          draft={draft}
          step={selected}
          title={titleOf(selected.id)}
          problems={checked.problems}
          person={shown.person}
          onClose={() => onMail(false)}
        />
      </Suspense>
    </>
  );
}

interface StepsProps extends Shown {
  draft: DraftEdit;
  checked: Problems;
  sentence: ReturnType<typeof useSentence>;
  titleOf: (id: string) => string;
  selected: FlowStep | undefined;
}

/** The steps, the panel of one, what stands against publishing, and the publication. */
function Steps({ draft, checked, sentence, titleOf, selected, workflow, view, onSelect, onView, onMail }: StepsProps) {
  const { graph } = draft;
  const [adding, setAdding] = useState<Place | 'start' | null>(null);
  const edits = useEdits({ draft, titleOf, onSelect });
  return (
    <>
      <Toolbar
        draft={draft}
        checked={checked}
        workflow={workflow}
        views={<ViewTabs view={view} onChange={onView} />}
        onAddTrigger={() => setAdding('start')}
      />
      <StaleNotice draft={draft} />
      <div className="grid min-w-0 grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0">
          {graph.steps.length === 0 ? (
            <EmptyState
              icon="workflow"
              title={buildText('empty.title')}
              action={
                <Button look="primary" icon="plus" onClick={() => setAdding('start')}>
                  {buildText('addTrigger')}
                </Button>
              }
            >
              {buildText('empty.lead')}
            </EmptyState>
          ) : (
            <StepsView
              view={view}
              graph={graph}
              titleOf={titleOf}
              selected={selected?.id}
              onSelect={onSelect}
              noteOf={(id) => <StepNote id={id} workflow={workflow} checked={checked} />}
              edit={{ onAdd: setAdding, ...edits }}
            />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          {selected ? (
            <PanelPlace title={typeWord(selected.type)} onClose={() => onSelect(undefined)}>
              <Suspense fallback={<Skeleton className="h-40" />}>
                <StepPanel
                  key={selected.id}
                  graph={graph}
                  step={selected}
                  titleOf={titleOf}
                  problems={checked.problems}
                  warnings={checked.warnings}
                  onChange={draft.change}
                  onAdd={setAdding}
                  onClose={() => onSelect(undefined)}
                  onWrite={() => onMail(true)}
                  {...edits}
                />
              </Suspense>
            </PanelPlace>
          ) : (
            graph.steps.length > 0 && <p className="text-soft">{buildText('choose')}</p>
          )}
          <ProblemList checked={checked} titleOf={titleOf} onSelect={onSelect} />
          <Changes workflow={workflow} sentence={sentence} />
        </div>
      </div>
      {adding !== null && (
        <Suspense fallback={null}>
          <AddStep
            graph={graph}
            place={adding}
            onClose={() => setAdding(null)}
            onAdd={(next, id) => {
              setAdding(null);
              draft.change(next);
              onSelect(id);
              announce(buildText('added', { step: typeWord(next.steps.find((one) => one.id === id)!.type) }));
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** Back from the mail of a step, the focus returns to where it was opened. */
function useReturn(isMailOpen: boolean): void {
  const wasOpen = useRef(isMailOpen);
  useEffect(() => {
    if (wasOpen.current && !isMailOpen) document.querySelector<HTMLElement>('[data-write-mail]')?.focus();
    wasOpen.current = isMailOpen;
  }, [isMailOpen]);
}

function StepsView({ view, ...props }: OutlineProps & { view: View; edit: NonNullable<OutlineProps['edit']> }) {
  if (view === 'outline')
    return (
      <>
        <LazyOutline {...props} />
        <p className="mt-3 text-sm text-soft max-md:hidden">{buildText('outline.keys')}</p>
      </>
    );
  const { edit, ...shown } = props;
  return (
    <div className="h-[calc(100dvh-15rem)] min-h-96 overflow-hidden rounded-lg border border-line bg-ground">
      <Suspense fallback={<Skeleton className="h-full" />}>
        <FlowCanvas {...shown} onAdd={edit.onAdd} />
      </Suspense>
    </div>
  );
}

/** Beside the steps; over them where the window is narrow. */
function PanelPlace({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const isNarrow = useNarrow();
  if (!isNarrow) return children;
  return (
    <Dialog title={title} titleHidden onClose={onClose}>
      {children}
    </Dialog>
  );
}

/** Moves and removes steps; the focus stays at the step, or goes to the one before. */
function useEdits({
  draft,
  titleOf,
  onSelect,
}: {
  draft: DraftEdit;
  titleOf: (id: string) => string;
  onSelect: (step: string | undefined) => void;
}) {
  const focus = useRef<string | null>(null);
  const { graph } = draft;
  useEffect(() => {
    if (focus.current === null) return;
    document.querySelector<HTMLElement>(`[data-step="${CSS.escape(focus.current)}"]`)?.focus();
    focus.current = null;
  });
  return {
    onMove: (id: string, by: -1 | 1) => {
      const moved = withShifted(graph, id, by);
      announce(buildText(moved ? 'moved' : 'unmoved', { step: titleOf(id) }));
      if (!moved) return;
      // From a button of the panel the focus stays there, for the next press.
      if (document.activeElement instanceof HTMLElement && document.activeElement.dataset.step === id)
        focus.current = id;
      draft.change(moved);
    },
    onRemove: (id: string) => {
      const next = withoutStep(graph, id);
      const before = graph.edges.find(({ target }) => target === id)?.source ?? null;
      focus.current = before ?? next.steps[0]?.id ?? null;
      draft.change(next);
      onSelect(undefined);
      notify({
        kind: 'done',
        text: buildText('removed', { count: graph.steps.length - next.steps.length }),
        undo: draft.undo,
      });
    },
  };
}

function Toolbar({
  draft,
  checked,
  workflow,
  views,
  onAddTrigger,
}: {
  draft: DraftEdit;
  checked: Problems;
  workflow: Workflow;
  views: ReactNode;
  onAddTrigger: () => void;
}) {
  const publish = useAction(
    actions.publish_workflow({
      button: buildText('publishVersion', { version: (workflow.published?.version ?? 0) + 1 }),
    }),
  );
  const isAsking = !mayAct('approver');
  const waiting = useWaitingApproval('publish_workflow', workflow.id);
  const [isSaving, setSaving] = useState(false);
  usePublishKey();
  const isInvalid = checked.problems.length > 0 || draft.graph.steps.length === 0;
  const run = async () => {
    setSaving(true);
    const isSaved = await draft.save();
    setSaving(false);
    if (!isSaved) return;
    const { version } = await publish.run({ workflowId: workflow.id });
    notify({ kind: 'done', text: buildText('published', { version }) });
  };
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      {views}
      <HistoryButtons draft={draft} />
      {draft.graph.steps.length > 0 && (
        <Button look="quiet" icon="plus" onClick={onAddTrigger}>
          {buildText('addTrigger')}
        </Button>
      )}
      <span className="ms-auto" />
      <SaveNote state={draft.state} onRetry={() => void draft.save()} />
      {!(isAsking && waiting) && (
        <Button
          look="primary"
          data-publish=""
          busy={isSaving || publish.isPending}
          disabled={isInvalid}
          onClick={() => void run().catch(reportFailure)}
        >
          {buildText(isAsking ? 'ask' : 'publish')}
        </Button>
      )}
    </div>
  );
}

/** Mod+Enter presses the button that publishes. */
function usePublishKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-publish]')?.click();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Another author saved the draft meanwhile: saving has stopped until one version is chosen. */
function StaleNotice({ draft: { state, graph, resolve } }: { draft: DraftEdit }) {
  if (state.kind !== 'stale') return null;
  const { theirs } = state;
  return (
    <div className="mb-4">
      <Callout
        tone="warn"
        action={
          <span className="flex flex-wrap gap-2">
            <Button small onClick={() => resolve(theirs.graph, theirs)}>
              {buildText('stale.theirs')}
            </Button>
            <Button small onClick={() => resolve(graph, theirs)}>
              {buildText('stale.mine')}
            </Button>
          </span>
        }
      >
        {buildText('stale.lead')}
      </Callout>
    </div>
  );
}

/** What is to be said of a step in its line: problems first, else whether it is new, and who waits there. */
function StepNote({ id, workflow, checked }: { id: string; workflow: Workflow; checked: Problems }) {
  const count = checked.problems.filter(({ stepId }) => stepId === id).length;
  const waiting = workflow.stats.steps.find(({ stepId }) => stepId === id)?.waiting ?? 0;
  return (
    <span className="flex shrink-0 items-center gap-2">
      {waiting > 0 && <span className="text-sm text-soft tabular">{buildText('waiting', { count: waiting })}</span>}
      {count > 0 ? (
        <Badge tone="bad">{buildText('problem.one', { count })}</Badge>
      ) : workflow.difference?.stepsAdded.includes(id) ? (
        <Badge tone="good">{buildText('mark.added')}</Badge>
      ) : (
        workflow.difference?.stepsChanged.includes(id) && <Badge tone="info">{buildText('mark.changed')}</Badge>
      )}
    </span>
  );
}
