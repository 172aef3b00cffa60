import { useLayoutEffect, useRef, useState } from 'react';
import { actions } from '../../data/tools.calls.js';
import { isDeclined } from '../../data/refusal.js';
import { useAction } from '../../data/use-action.js';
import { paletteText } from '../../messages/en/palette.js';
import { CopyAs } from '../../parts/copy-as.js';
import { SchemaForm } from '../../parts/schema-form.js';
import { IconButton } from '../../ui/button.js';
import type { PaletteTool } from './palette-tools.js';

/** One tool as a form made from its contract, and its answer. */
export function ToolForm({ tool, onBack }: { tool: PaletteTool; onBack: () => void }) {
  const action = useAction(actions[tool.name]());
  const [schema] = useState(tool.schema);
  const [sent, setSent] = useState<object>({});
  const [answer, setAnswer] = useState<unknown>();
  const ref = useRef<HTMLDivElement>(null);
  // The field of the search is gone, and the focus with it.
  useLayoutEffect(() => {
    ref.current?.querySelector<HTMLElement>('form :is(input, select, textarea, button)')?.focus();
  }, []);
  const run = async (input: Record<string, unknown>) => {
    setSent(input);
    setAnswer(undefined);
    // The form shows the refusal.
    setAnswer(await action.run(input as never).catch(() => undefined));
  };
  return (
    <div ref={ref} className="flex flex-col gap-4 p-4">
      <div className="flex items-start gap-2">
        <IconButton icon="chevronLeft" label={paletteText('back')} onClick={onBack} />
        <div className="min-w-0 flex-1">
          <p className="font-mono font-medium">{tool.name}</p>
          <p className="text-soft">{tool.summary}</p>
        </div>
        <CopyAs tool={tool.name} input={sent} />
      </div>
      <SchemaForm
        schema={schema}
        button={paletteText('run', { tool: tool.name })}
        busy={action.isPending}
        error={isDeclined(action.error) ? null : action.error}
        onSubmit={(input) => void run(input)}
      />
      {answer !== undefined && (
        <section aria-label={paletteText('answer')} aria-live="polite">
          <h3 className="mb-1 text-sm font-medium text-soft">{paletteText('answer')}</h3>
          <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md bg-sunk p-3 font-mono text-xs">
            {JSON.stringify(answer, null, 2)}
          </pre>
        </section>
      )}
    </div>
  );
}
