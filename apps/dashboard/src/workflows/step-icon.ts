import type { IconName } from '../ui/icon.js';

const icons: Record<string, IconName> = {
  TRIGGER: 'play',
  EMAIL: 'mail',
  WAIT: 'clock',
  WAIT_UNTIL: 'calendar',
  CONDITION: 'segment',
  SPLIT: 'sort',
  ACTION: 'pulse',
  MOVE_TO_STEP: 'undo',
  GOAL: 'check',
  EXIT: 'signOut',
};

/** The picture of a type of step; its word stands beside it. */
export const stepIcon = (type: string): IconName => icons[type] ?? 'workflow';
