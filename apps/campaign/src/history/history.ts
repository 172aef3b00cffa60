import type { ContentType, Content } from '#content';
import type { Caller } from '#tool-call';

/** Who saved: an editor by itself, a person, or an agent. */
export type HistorySource = 'autosave' | 'manual' | 'ai';

/** One save of a campaign. */
export interface HistoryEntry {
  id: string;
  savedAt: Date;
  source: HistorySource;
  subject: string;
}

/** The same with the state after that save. */
export interface FullHistoryEntry extends HistoryEntry {
  content: Content;
  contentType: ContentType;
}

/** The source of a save, by the door it came through. */
export function historySource({ source }: Pick<Caller, 'source'>): HistorySource {
  if (source === 'editor') return 'autosave';
  return source === 'tools' || source === 'mcp' ? 'ai' : 'manual';
}

/** An entry as lists show it. */
export const historyAnswer = ({ id, savedAt, source, subject }: HistoryEntry) => ({
  id,
  savedAt: savedAt.toISOString(),
  source,
  subject,
});
