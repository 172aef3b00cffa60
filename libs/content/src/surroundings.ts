import type { Align, Direction } from './block.js';
import { CONTENT_WIDTH, THEME, isDark } from './theme.js';

/** What surrounds a block and decides how it looks. */
export interface Surroundings {
  direction: Direction;
  align: Align | null;
  /** The author's own background: colours stay as they are in dark mode. Null on the mail's card. */
  background: string | null;
  /** Small and grey, as in a footer. */
  muted: boolean;
  /** Pixels that are free for a picture. */
  width: number;
}

type Role = 'text' | 'heading' | 'muted' | 'link' | 'line' | 'code' | 'button' | 'buttonText';
const CLASSES: Record<Role, string> = {
  text: 'tx',
  heading: 'hd',
  muted: 'mt',
  link: 'lk',
  line: 'ln',
  code: 'co',
  button: 'bt',
  buttonText: 'bl',
};

/** The colour of a role where the block stands, and the class by which dark mode changes it (none on an own background). */
export const toneOf = (around: Surroundings, role: Role): { color: string; name: string } => {
  if (around.background === null) return { color: THEME[role].light, name: CLASSES[role] };
  return { color: THEME[role][isDark(around.background) ? 'dark' : 'light'], name: '' };
};

/** Where a mail's first blocks stand. */
export const onCard = (direction: Direction): Surroundings => ({
  direction,
  align: null,
  background: null,
  muted: false,
  width: CONTENT_WIDTH,
});
