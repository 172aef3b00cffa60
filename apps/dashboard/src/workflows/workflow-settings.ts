import type { Config } from './config-fields.js';
import type { Workflow } from './workflow-status.js';

export const reentries = ['ONCE', 'AFTER_FINISH', 'ALWAYS'] as const;

export interface SendWindow {
  from: string;
  to: string;
  /** From 1 for Monday. */
  weekdays?: number[];
}

/** The settings and goals of a draft. */
export interface Settings {
  reentry: (typeof reentries)[number];
  exitOnUnsubscribe: boolean;
  timezone: string;
  sendWindow: SendWindow | null;
  exitRules: readonly Config[];
  goals: readonly Config[];
}

type Stored = Pick<Workflow, 'settings' | 'successGoals'>;

export function readSettings({ settings, successGoals }: Stored): Settings {
  const { reentry = 'ONCE', exitOnUnsubscribe = true, timezone, sendWindow, exitRules } = settings;
  return {
    reentry,
    exitOnUnsubscribe,
    timezone: timezone ?? '',
    sendWindow: windowOf(sendWindow),
    exitRules: Array.isArray(exitRules) ? (exitRules as Config[]) : [],
    goals: successGoals,
  };
}

/** A send window of all days holds none. */
function windowOf(stored: unknown): SendWindow | null {
  if (stored === null || typeof stored !== 'object') return null;
  const { weekdays, ...times } = stored as SendWindow;
  return { ...times, ...(weekdays !== undefined && weekdays.length < 7 && { weekdays }) };
}

/** The settings and goals as the API takes them: null clears. */
export const settingsInput = ({ timezone, goals, exitRules, sendWindow, ...settings }: Settings) => ({
  settings: {
    ...settings,
    exitRules: [...exitRules],
    sendWindow: sendWindow && { ...sendWindow },
    timezone: timezone.trim() === '' ? null : timezone.trim(),
  },
  successGoals: goals.map((goal) => ({ ...goal })),
});

/** How a new goal or exit rule begins. */
export const newRule = (): Config => ({ event: { kind: 'EMAIL_CLICKED' } });

/** A new goal; its id is unique among `goals`. */
export function newGoal(goals: readonly Config[]): Config {
  const ids = new Set(goals.map(({ id }) => id));
  let n = goals.length + 1;
  while (ids.has(`goal-${n}`)) n++;
  return { id: `goal-${n}`, ...newRule() };
}

export type Issue = { path: readonly (string | number)[]; message: string };

/** "goal 2: …" at its goal need not say which goal it is. */
const bare = (message: string): string => message.replace(/^goal \d+: /, '');

/** The first problem of each field below a path; '' for the whole of it. */
export function faultsBelow(issues: readonly Issue[], ...below: (string | number)[]): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { path, message } of issues)
    if (below.every((part, place) => path[place] === part)) faults[String(path[below.length] ?? '')] ??= bare(message);
  return faults;
}
