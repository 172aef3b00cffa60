import { buildText } from '../messages/en/workflow-build.js';
import { StatusTabs } from '../parts/status-tabs.js';
import { useNarrow } from '../ui/use-narrow.js';

export const views = ['outline', 'graph'] as const;
export type View = (typeof views)[number];

/** The view of the address; else the graph, or the outline where there is little room. */
export function useView(given: View | undefined): View {
  const isNarrow = useNarrow();
  return given ?? (isNarrow ? 'outline' : 'graph');
}

export function ViewTabs({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  return (
    <StatusTabs
      label={buildText('view')}
      value={view}
      onChange={onChange}
      tabs={views.map((value) => ({ value, label: buildText(value) }))}
    />
  );
}
