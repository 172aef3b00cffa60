import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Autosave, ChangedElsewhere } from './autosave.js';
import type { SaveState, StoredDraft } from './autosave.js';
import { comparedKeys, mergeDrafts } from './draft.js';
import type { Changes, Draft } from './draft.js';

const draft: Draft = {
  name: 'Spring',
  subject: 'Hello',
  preview: '',
  contentType: 'MARKDOWN',
  content: 'One',
  senderId: null,
  replyTo: '',
};

/** A store that answers each save only when `answer` is called. */
class StoreFixture {
  stored: StoredDraft = { draft, updatedAt: '2026-11-01T10:00:00.000Z' };
  readonly writes: Changes[] = [];
  readonly states: SaveState['kind'][] = [];
  failure: Error | null = null;
  #waiting: (() => void)[] = [];
  readonly autosave = new Autosave(this.stored, {
    write: async (changes, updatedAt) => {
      this.writes.push(changes);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (this.failure) throw this.failure;
      if (updatedAt !== this.stored.updatedAt) throw new ChangedElsewhere();
      return this.save(changes as Partial<Draft>);
    },
    read: () => Promise.resolve(this.stored),
    report: ({ kind }) => this.states.push(kind),
  });

  save(changes: Partial<Draft>): string {
    const updatedAt = new Date(Date.parse(this.stored.updatedAt) + 1_000).toISOString();
    this.stored = { draft: { ...this.stored.draft, ...changes }, updatedAt };
    return updatedAt;
  }

  async answer(): Promise<void> {
    this.#waiting.shift()?.();
    await jest.advanceTimersByTimeAsync(0);
  }
}

describe('Autosave', () => {
  let store: StoreFixture;
  beforeEach(() => {
    jest.useFakeTimers();
    store = new StoreFixture();
  });
  afterEach(() => void jest.useRealTimers());

  it('saves what is typed while a save is in progress', async () => {
    store.autosave.change({ ...draft, content: 'One two' });
    await jest.advanceTimersByTimeAsync(2_000);
    store.autosave.change({ ...draft, content: 'One two three' });
    await jest.advanceTimersByTimeAsync(5_000);
    await store.answer();
    await store.answer();
    expect(store.writes.map(({ content }) => content)).toEqual(['One two', 'One two three']);
    expect(store.stored.draft.content).toBe('One two three');
    expect(store.autosave.isUnsaved).toBe(false);
    expect(store.states.at(-1)).toBe('saved');
  });

  it('flushes everything before the screen is left', async () => {
    store.autosave.change({ ...draft, subject: 'Hello Ada' });
    const flushed = store.autosave.flush();
    await jest.advanceTimersByTimeAsync(0);
    store.autosave.change({ ...draft, subject: 'Hello Ada!' });
    await store.answer();
    await store.answer();
    expect(await flushed).toBe(true);
    expect(store.stored.draft.subject).toBe('Hello Ada!');
  });

  it('says that something is unsaved if a save fails, and saves it with the next change', async () => {
    store.failure = new Error('away');
    store.autosave.change({ ...draft, name: 'Summer' });
    const flushed = store.autosave.flush();
    await jest.advanceTimersByTimeAsync(0);
    await store.answer();
    expect(await flushed).toBe(false);
    expect(store.states.at(-1)).toBe('failed');
    store.failure = null;
    store.autosave.change({ ...draft, name: 'Summer 2' });
    await jest.advanceTimersByTimeAsync(2_000);
    await store.answer();
    expect(store.stored.draft.name).toBe('Summer 2');
  });

  it('keeps an empty subject unsaved without losing it from sight', async () => {
    store.autosave.change({ ...draft, subject: '', name: 'Summer' });
    const flushed = store.autosave.flush();
    await jest.advanceTimersByTimeAsync(0);
    await store.answer();
    expect(await flushed).toBe(false);
    expect(store.stored.draft).toMatchObject({ subject: 'Hello', name: 'Summer' });
    expect(store.states.at(-1)).toBe('waiting');
  });

  it('goes on if only the audience was changed elsewhere', async () => {
    store.save({});
    store.autosave.change({ ...draft, name: 'Summer' });
    await jest.advanceTimersByTimeAsync(2_000);
    await store.answer();
    await store.answer();
    expect(store.stored.draft.name).toBe('Summer');
  });

  it('stops at a version of another author, and goes on with what was chosen', async () => {
    store.save({ subject: 'Theirs', preview: 'Their preview' });
    const mine = { ...draft, subject: 'Mine' };
    store.autosave.change(mine);
    await jest.advanceTimersByTimeAsync(2_000);
    await store.answer();
    expect(store.states.at(-1)).toBe('stale');
    store.autosave.change({ ...mine, name: 'Mine' });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(store.writes).toHaveLength(1);
    const theirs = store.stored;
    expect(comparedKeys(store.autosave.base, mine, theirs.draft)).toEqual([
      { key: 'subject', side: 'mine' },
      { key: 'preview', side: 'theirs' },
    ]);
    const resolved = store.autosave.resolve(
      mergeDrafts(mine, theirs.draft, { subject: 'mine', preview: 'theirs' }),
      theirs,
    );
    await jest.advanceTimersByTimeAsync(0);
    await store.answer();
    await resolved;
    expect(store.stored.draft).toMatchObject({ subject: 'Mine', preview: 'Their preview' });
    expect(store.states.at(-1)).toBe('saved');
  });
});
