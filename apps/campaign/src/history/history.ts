import type { Caller } from '#tool-call';

/** Who saved: an editor by itself, a person, or an agent. */
export type HistorySource = 'autosave' | 'manual' | 'ai';

/** The source of a save, by the door it came through. */
export const historySource = ({ source }: Pick<Caller, 'source'>): HistorySource =>
  source === 'tools' || source === 'mcp' ? 'ai' : 'manual';
