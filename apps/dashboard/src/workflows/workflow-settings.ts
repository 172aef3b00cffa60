import type { Workflow } from './workflow-status.js';

export const reentries = ['ONCE', 'AFTER_FINISH', 'ALWAYS'] as const;

/** The settings of a draft that the page shows as fields. */
export interface Settings {
  reentry: (typeof reentries)[number];
  exitOnUnsubscribe: boolean;
  timezone: string;
  sendWindow: { from: string; to: string; weekdays?: number[] } | null;
}

export function readSettings({ settings }: Workflow): Settings {
  const { reentry = 'ONCE', exitOnUnsubscribe = true, timezone, sendWindow } = settings;
  return {
    reentry,
    exitOnUnsubscribe,
    timezone: timezone ?? '',
    sendWindow: (sendWindow as Settings['sendWindow'] | undefined) ?? null,
  };
}

/** The settings as the API takes them: null clears. Exit rules keep their value. */
export const settingsInput = ({ timezone, ...settings }: Settings) => ({
  ...settings,
  timezone: timezone.trim() === '' ? null : timezone.trim(),
});
