import { changedKeys, changesOf } from './draft.js';
import type { Changes, Draft } from './draft.js';

export interface StoredDraft {
  draft: Draft;
  updatedAt: string;
}

/** What was saved of the draft; `stale` holds the version that another author saved meanwhile. */
export type SaveState =
  | { kind: 'saved'; at: Date | null }
  | { kind: 'waiting' | 'saving' }
  | { kind: 'stale'; theirs: StoredDraft }
  | { kind: 'failed'; error: unknown };

/** The campaign is no longer the version that the page read. */
export class ChangedElsewhere extends Error {}

interface Store {
  /** Saves changes of the version that was read. @returns the new updatedAt @throws ChangedElsewhere */
  write: (changes: Changes, updatedAt: string) => Promise<string>;
  read: () => Promise<StoredDraft>;
  report: (state: SaveState) => void;
}

/** Milliseconds between the last key and the save. */
const settledMs = 2_000;

/**
 * Saves a draft once typing pauses, one save at a time. What is typed during a save stays unsaved and is saved next. If another
 * author changed the same campaign, saving stops until `resolve`.
 */
export class Autosave {
  #base: StoredDraft;
  #draft: Draft;
  #state: SaveState = { kind: 'saved', at: null };
  #running: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    start: StoredDraft,
    private readonly store: Store,
  ) {
    this.#base = start;
    this.#draft = start.draft;
  }

  get base(): Draft {
    return this.#base.draft;
  }

  /** Whether something differs from what is stored, also what cannot be saved yet, such as an empty subject. */
  get isUnsaved(): boolean {
    return changedKeys(this.#base.draft, this.#draft).length > 0;
  }

  /** Takes what was typed; the save follows after a pause. */
  change(draft: Draft): void {
    if (draft === this.#draft) return;
    this.#draft = draft;
    clearTimeout(this.#timer);
    if (this.#state.kind === 'stale') return;
    if (this.#state.kind !== 'saving') this.#report(this.isUnsaved ? { kind: 'waiting' } : { kind: 'saved', at: null });
    if (this.isUnsaved) this.#timer = setTimeout(() => void this.#next(), settledMs);
  }

  /** Saves at once all that can be saved. @returns whether nothing is left unsaved */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    do await this.#next();
    while (this.#state.kind === 'waiting' && this.#hasChanges());
    return !this.isUnsaved;
  }

  /** Continues with a draft that was chosen from both versions. */
  async resolve(draft: Draft, theirs: StoredDraft): Promise<void> {
    this.#base = theirs;
    this.#draft = draft;
    this.#report({ kind: 'waiting' });
    await this.flush();
  }

  #hasChanges(): boolean {
    return Object.keys(changesOf(this.#base.draft, this.#draft)).length > 0;
  }

  /** Saves after the save that is in progress. */
  async #next(): Promise<void> {
    this.#running = this.#running.then(async () => await this.#save());
    await this.#running;
  }

  async #save(): Promise<void> {
    if (this.#state.kind === 'stale') return;
    const draft = this.#draft;
    const changes = changesOf(this.#base.draft, draft);
    const keys = Object.keys(changes) as (keyof Draft)[];
    if (keys.length === 0) return this.#report(this.#settled(null));
    this.#report({ kind: 'saving' });
    try {
      const updatedAt = await this.store.write(changes, this.#base.updatedAt);
      const saved = Object.fromEntries(keys.map((key) => [key, draft[key]]));
      this.#base = { draft: { ...this.#base.draft, ...saved }, updatedAt };
      this.#report(this.#settled(new Date(updatedAt)));
    } catch (error) {
      if (error instanceof ChangedElsewhere) await this.#meet();
      else this.#report({ kind: 'failed', error });
    }
  }

  #settled(at: Date | null): SaveState {
    if (this.isUnsaved) return { kind: 'waiting' };
    return at === null && this.#state.kind === 'saved' ? this.#state : { kind: 'saved', at };
  }

  /** A change elsewhere that leaves the draft alone, such as of the audience, is no conflict. */
  async #meet(): Promise<void> {
    try {
      const theirs = await this.store.read();
      if (changedKeys(this.#base.draft, theirs.draft).length > 0) return this.#report({ kind: 'stale', theirs });
      this.#base = theirs;
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
