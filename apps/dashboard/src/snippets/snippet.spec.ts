import { describe, expect, it } from '@jest/globals';
import { changesOf, comparedKeys, draftOf, emptyDraft, mergeDrafts } from './snippet.js';
import type { Snippet, SnippetDraft } from './snippet.js';

const text = (words: string) => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: words }] }],
});
const base: SnippetDraft = { name: 'Signature', description: '', content: text('Your team') };

describe('the draft of a snippet', () => {
  it('gives an empty document a paragraph to write in', () => {
    const stored = {
      name: 'Signature',
      description: null,
      content: { type: 'doc', content: [] },
    } as unknown as Snippet;
    expect(draftOf(stored)).toEqual({ name: 'Signature', description: '', content: emptyDraft.content });
  });

  it('saves only what differs, whatever object holds it', () => {
    expect(changesOf(base, { ...base, content: text('Your team') })).toEqual({});
    expect(changesOf(base, { ...base, name: 'Ending' })).toEqual({ name: 'Ending' });
  });

  it('prefers the side that alone changed a part, and mine where both did', () => {
    const mine = { ...base, name: 'Ending', content: text('Mine') };
    const theirs = { ...base, description: 'Of letters', content: text('Theirs') };
    expect(comparedKeys(base, mine, theirs)).toEqual([
      { key: 'name', side: 'mine' },
      { key: 'description', side: 'theirs' },
      { key: 'content', side: 'mine' },
    ]);
  });

  it('takes each part from the chosen side', () => {
    const mine = { ...base, name: 'Ending' };
    const theirs = { name: 'Close', description: 'Of letters', content: text('Theirs') };
    expect(mergeDrafts(mine, theirs, { name: 'mine', description: 'theirs', content: 'theirs' })).toEqual({
      name: 'Ending',
      description: 'Of letters',
      content: text('Theirs'),
    });
  });
});
