import {
  BaseEdge,
  EdgeLabelRenderer,
  getSmoothStepPath,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import type { EdgeProps, NodeProps, ReactFlowInstance } from '@xyflow/react';
import { createContext, use, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import './flow-canvas.css';
import { buildText } from '../messages/en/workflow-build.js';
import { number } from '../messages/format.js';
import { IconButton } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import { Skeleton } from '../ui/states.js';
import type { Place } from './edit-graph.js';
import type { FlowGraph } from './flow-graph.js';
import { nodesOf, openEndEdges, openEndNodes, openEndsOf, wayEdgesOf } from './flow-nodes.js';
import type { OpenEndNode, StepNode, WayEdge } from './flow-nodes.js';
import { nodeSize, openEndSize } from './layout-graph.js';
import type { Positions } from './layout-graph.js';
import { startsOf, Ways } from './outline.js';
import { stepIcon } from './step-icon.js';
import { useLayout, warmLayout } from './use-layout.js';
import { branchWord, typeWord } from './step-labels.js';

export interface CanvasProps {
  graph: FlowGraph;
  titleOf: (id: string) => string;
  selected: string | undefined;
  onSelect: (id: string) => void;
  /** What stands at a step, such as its problems. */
  noteOf: (id: string) => ReactNode;
  onAdd?: (place: Place) => void;
  /** How many went by a branch of a step. */
  countOf?: (source: string, branch: string) => number;
}

const Shown = createContext<CanvasProps | null>(null);
warmLayout();

const nodeTypes = { step: StepBox, openEnd: OpenEnd };
const edgeTypes = { way: Way };

/** The steps as a graph, laid out from above to below; the outline shows and changes the same. */
export function FlowCanvas(props: CanvasProps) {
  const { graph } = props;
  const mayAdd = props.onAdd !== undefined;
  const ends = useMemo(() => (mayAdd ? openEndsOf(graph) : []), [graph, mayAdd]);
  const positions = useLayout(graph, ends);
  if (!positions) return <Skeleton className="h-full min-h-96" />;
  return (
    <Shown value={props}>
      <ReactFlowProvider>
        <Canvas {...props} positions={positions} ends={ends} />
      </ReactFlowProvider>
    </Shown>
  );
}

/** Up to so many steps, the whole graph is in view at first. */
const fittedMax = 8;
/** Else it begins at the selected or first step, a little smaller than it is. */
const startZoom = 0.9;
/** Pixels between the upper edge and the step at which it begins. */
const startTop = 40;

function Canvas({ graph, selected, positions, ends }: CanvasProps & { positions: Positions; ends: readonly Place[] }) {
  const nodes = useMemo(
    () => [...nodesOf(graph, positions), ...openEndNodes(ends, positions)],
    [graph, positions, ends],
  );
  const edges = useMemo(
    () => [...wayEdgesOf(graph, positions), ...openEndEdges(ends, positions)],
    [graph, positions, ends],
  );
  const first = selected ?? startsOf(graph, new Ways(graph))[0];
  const start = (first !== undefined && positions[first]) || { x: 0, y: 0 };
  const ref = useRef<HTMLDivElement>(null);
  const show = ({ fitView, setViewport }: ReactFlowInstance<StepNode | OpenEndNode, WayEdge>) => {
    if (graph.steps.length <= fittedMax) return void fitView({ maxZoom: 1, padding: 0.05 });
    const { width = 0 } = ref.current?.getBoundingClientRect() ?? {};
    const x = width / 2 - (start.x + nodeSize.width / 2) * startZoom;
    void setViewport({ x, y: startTop - start.y * startZoom, zoom: startZoom });
  };
  return (
    <div ref={ref} className="relative h-full min-h-0">
      <ReactFlow<StepNode | OpenEndNode, WayEdge>
        aria-label={buildText('graph')}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        minZoom={0.1}
        maxZoom={1.5}
        proOptions={{ hideAttribution: true }}
        onInit={show}
      />
      <Zoom />
    </div>
  );
}

function Zoom() {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  return (
    <div
      role="toolbar"
      aria-label={buildText('zoom')}
      className="absolute end-3 bottom-3 flex rounded-md border border-line bg-paper"
    >
      <IconButton small icon="plus" label={buildText('zoom.in')} onClick={() => void zoomIn()} />
      <IconButton small icon="minus" label={buildText('zoom.out')} onClick={() => void zoomOut()} />
      <IconButton small icon="fit" label={buildText('zoom.fit')} onClick={() => void fitView({ maxZoom: 1 })} />
    </div>
  );
}

function StepBox({ id }: NodeProps<StepNode>) {
  const { graph, titleOf, selected, onSelect, noteOf } = use(Shown)!;
  const step = graph.steps.find((one) => one.id === id);
  if (!step) return null;
  const title = titleOf(id);
  const isSelected = id === selected;
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <button
        type="button"
        data-step={id}
        aria-current={isSelected || undefined}
        onClick={() => onSelect(id)}
        style={nodeSize}
        className={classNames(
          'nopan pointer-events-auto flex items-center gap-2.5 rounded-lg border px-3 text-start shadow-sm focus-visible:outline-offset-1',
          isSelected ? 'border-accent bg-accent-soft' : 'border-edge/60 bg-paper hover:border-edge',
        )}
      >
        <Icon name={stepIcon(step.type)} className="shrink-0 text-soft" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium" dir="auto">
            {title}
          </span>
          <span className="flex items-center gap-2 text-xs text-soft">
            {typeWord(step.type)}
            {noteOf(id)}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
}

const addLabel = ({ after, branch }: Place, titleOf: CanvasProps['titleOf']): string =>
  branch === undefined
    ? buildText('addAfter', { step: titleOf(after) })
    : buildText('addIn', { branch: branchWord(branch), step: titleOf(after) });

/** Where a way ends: a step can be added there. */
function OpenEnd({ data: { place } }: NodeProps<OpenEndNode>) {
  const { titleOf, onAdd } = use(Shown)!;
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <button
        type="button"
        aria-label={addLabel(place, titleOf)}
        onClick={() => onAdd?.(place)}
        style={openEndSize}
        className="nopan pointer-events-auto flex items-center justify-center gap-1.5 rounded-lg border border-dashed border-edge bg-ground text-sm text-soft hover:bg-sunk hover:text-ink focus-visible:outline-offset-1"
      >
        <Icon name="plus" size={12} />
        {buildText('add')}
      </button>
    </>
  );
}

function Way({ source, data, ...ends }: EdgeProps<WayEdge>) {
  const { titleOf, onAdd, countOf } = use(Shown)!;
  const [path, labelX, labelY] = getSmoothStepPath({ ...ends, borderRadius: 8 });
  const { branch, isMove = false, isOpen = false } = data ?? {};
  // At its open end, a way has a button of its own.
  const mayAdd = onAdd && !isMove && !isOpen;
  return (
    <>
      <BaseEdge path={path} {...(isMove && { strokeDasharray: '5 4' })} />
      {(branch !== undefined || mayAdd) && (
        <EdgeLabelRenderer>
          <div
            className="nopan pointer-events-auto absolute flex items-center gap-0.5 rounded-full border border-line bg-paper px-1 text-xs text-soft"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            {branch !== undefined && (
              <span className="max-w-32 truncate px-1" dir="auto">
                {branchWord(branch)}
              </span>
            )}
            {branch !== undefined && countOf && (
              <span className="pe-1 font-medium text-ink tabular">{number(countOf(source, branch))}</span>
            )}
            {mayAdd && (
              <button
                type="button"
                tabIndex={-1}
                aria-label={addLabel({ after: source, branch }, titleOf)}
                title={buildText('addHere')}
                onClick={() => onAdd({ after: source, branch })}
                className="grid size-6 place-items-center rounded-full hover:bg-sunk hover:text-ink"
              >
                <Icon name="plus" size={12} />
              </button>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
