import type { ContentType, Content } from '#content';
import type { Caller } from '#tool-call';

/** Origin of a save: an editor's autosave, a person, or an agent. */
export type HistorySource = 'autosave' | 'manual' | 'ai';

export interface HistoryEntry {
  id: string;
  savedAt: Date;
  source: HistorySource;
  subject: string;
}

/** A history entry with the state after that save. */
export interface FullHistoryEntry extends HistoryEntry {
  content: Content;
  contentType: ContentType;
}

/** Returns the source of a save by the caller's interface. */
export function historySource({ source }: Pick<Caller, 'source'>): HistorySource {
  if (source === 'editor') return 'autosave';
  return source === 'tools' || source === 'mcp' ? 'ai' : 'manual';
}

/** A history entry in the results of list tools. */
export const historyAnswer = ({ id, savedAt, source, subject }: HistoryEntry) => ({
  id,
  savedAt: savedAt.toISOString(),
  source,
  subject,
});
