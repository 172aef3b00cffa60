import { adopted, isSame } from './draft.js';
import type { StoredDraft } from './draft.js';
import type { FlowGraph } from './flow-graph.js';

/** What was saved of a draft. `invalid`: the API takes it once its problems are solved. */
export type SaveState =
  | { kind: 'saved'; at: Date | null }
  | { kind: 'waiting' | 'saving' | 'invalid' }
  | { kind: 'stale'; theirs: StoredDraft }
  | { kind: 'failed'; error: unknown };

/** The draft is no longer the version that was read. */
export class ChangedElsewhere extends Error {}
/** The graph breaks a rule, and is not saved. */
export class GraphInvalid extends Error {}

interface Store {
  /** @throws ChangedElsewhere, GraphInvalid */
  write: (graph: FlowGraph, base: StoredDraft) => Promise<StoredDraft>;
  read: () => Promise<StoredDraft>;
  /** Takes over the texts of mails that were copied at a save. */
  adopt: (stored: FlowGraph) => void;
  report: (state: SaveState) => void;
}

/** Milliseconds between the last change and the save. */
const settledMs = 2_000;

/** Saves a graph once changes pause, one save at a time; what changes during a save is saved next. */
export class DraftSaver {
  #graph: FlowGraph;
  /** What is saved, as it was sent; the API may store it in another form, such as ids for names. */
  #sent: FlowGraph;
  #state: SaveState = { kind: 'saved', at: null };
  #running: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private base: StoredDraft,
    private readonly store: Store,
  ) {
    this.#graph = base.graph;
    this.#sent = base.graph;
  }

  /** What is saved, as `wireGraph` needs it. */
  get saved(): StoredDraft {
    return { ...this.base, graph: this.#sent };
  }

  get isUnsaved(): boolean {
    return !isSame(this.#sent, this.#graph);
  }

  /** Takes a changed graph; the save follows after a pause. */
  change(graph: FlowGraph): void {
    if (graph === this.#graph) return;
    this.#graph = graph;
    clearTimeout(this.#timer);
    if (this.#state.kind === 'stale') return;
    if (!this.isUnsaved) return this.#report({ kind: 'saved', at: null });
    if (this.#state.kind !== 'saving') this.#report({ kind: 'waiting' });
    this.#timer = setTimeout(() => void this.#next(), settledMs);
  }

  /** Saves at once. @returns whether nothing is left unsaved */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    do await this.#next();
    while (this.#state.kind === 'waiting' && this.isUnsaved);
    return !this.isUnsaved;
  }

  /** Goes on from the version of another author, with the graph that was chosen. */
  async resolve(graph: FlowGraph, theirs: StoredDraft): Promise<void> {
    this.base = theirs;
    this.#sent = theirs.graph;
    this.#graph = graph;
    this.#report({ kind: 'waiting' });
    await this.flush();
  }

  async #next(): Promise<void> {
    this.#running = this.#running.then(async () => await this.#save());
    await this.#running;
  }

  async #save(): Promise<void> {
    if (this.#state.kind === 'stale') return;
    if (!this.isUnsaved) {
      if (this.#state.kind !== 'saved') this.#report({ kind: 'saved', at: null });
      return;
    }
    const graph = this.#graph;
    this.#report({ kind: 'saving' });
    try {
      const stored = await this.store.write(graph, this.saved);
      this.base = stored;
      this.#sent = adopted(graph, stored.graph);
      this.#graph = adopted(this.#graph, stored.graph);
      this.store.adopt(stored.graph);
      this.#report(this.isUnsaved ? { kind: 'waiting' } : { kind: 'saved', at: new Date(stored.updatedAt) });
    } catch (error) {
      if (error instanceof ChangedElsewhere) await this.#meet();
      else if (error instanceof GraphInvalid) this.#report({ kind: 'invalid' });
      else this.#report({ kind: 'failed', error });
    }
  }

  /** A change elsewhere that leaves the graph alone, such as of the settings, is no conflict. */
  async #meet(): Promise<void> {
    try {
      const theirs = await this.store.read();
      if (!isSame(theirs.graph, this.base.graph)) return this.#report({ kind: 'stale', theirs });
      this.base = theirs;
    } catch (error) {
      return this.#report({ kind: 'failed', error });
    }
    await this.#save();
  }

  #report(state: SaveState): void {
    this.#state = state;
    this.store.report(state);
  }
}
