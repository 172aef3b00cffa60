import type { ContentType, Content } from '#content';
import type { Caller } from '#tool-call';

export type HistorySource = 'autosave' | 'manual' | 'ai';

export interface HistoryEntry {
  id: string;
  savedAt: Date;
  source: HistorySource;
  subject: string;
}

export interface FullHistoryEntry extends HistoryEntry {
  content: Content;
  contentType: ContentType;
}

export function historySource({ source }: Pick<Caller, 'source'>): HistorySource {
  if (source === 'editor') return 'autosave';
  return source === 'tools' || source === 'mcp' ? 'ai' : 'manual';
}

export const historyAnswer = ({ id, savedAt, source, subject }: HistoryEntry) => ({
  id,
  savedAt: savedAt.toISOString(),
  source,
  subject,
});
