import { importText } from '../messages/en/imports.js';
import { Badge } from '../ui/states.js';
import type { Tone } from '../ui/states.js';
import type { Import } from './mapping.js';

const tones: Record<Import['state'], Tone> = {
  NEW: 'plain',
  UPLOADING: 'warn',
  UPLOADED: 'info',
  CHECKING: 'info',
  CHECKED: 'info',
  RUNNING: 'info',
  DONE: 'good',
  FAILED: 'bad',
  CANCELED: 'plain',
};

export function ImportBadge({ state }: { state: Import['state'] }) {
  return <Badge tone={tones[state]}>{importText(`state.${state}`)}</Badge>;
}

export const importName = ({ name }: Pick<Import, 'name'>): string => name ?? importText('unnamed');
