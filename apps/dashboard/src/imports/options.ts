import type { ImportCheck, ImportOptions } from './mapping.js';

export type ChosenOptions = Required<ImportOptions>;

export const modes = ['CREATE_AND_UPDATE', 'CREATE_ONLY', 'UPDATE_ONLY'] as const;
export const emptyCells = ['KEEP', 'CLEAR'] as const;

const defaults: ChosenOptions = {
  mode: 'CREATE_AND_UPDATE',
  emptyCells: 'KEEP',
  tags: [],
  resubscribe: false,
  triggerWorkflows: false,
};

/** The options of the last check, else the careful ones. */
export const startOptions = (check: ImportCheck | null): ChosenOptions =>
  check ? ({ ...check.options } as ChosenOptions) : defaults;
