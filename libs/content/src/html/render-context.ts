import type { Align, Direction } from '../block/block.js';
import { CONTENT_WIDTH, MAIL_WIDTH, THEME, isDark } from './theme.js';

export interface RenderContext {
  direction: Direction;
  align: Align | null;
  /** The author's own background, on which colours stay as they are in dark mode; null on the mail's card. */
  background: string | null;
  muted: boolean;
  width: number;
}

export type Role = 'text' | 'heading' | 'muted' | 'link' | 'line' | 'code' | 'button' | 'buttonText';

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

/**
 * Returns the colour of a role at the block's place, and the class that dark mode changes (none on an own background).
 */
export const toneOf = (around: RenderContext, role: Role): { color: string; name: string } => {
  if (around.background === null) return { color: THEME[role].light, name: CLASSES[role] };
  return { color: THEME[role][isDark(around.background) ? 'dark' : 'light'], name: '' };
};

export const classOf = (...names: string[]): string => {
  const given = names.filter((name) => name !== '').join(' ');
  return given === '' ? '' : ` class="${given}"`;
};

export const startOf = ({ direction }: RenderContext): 'left' | 'right' => (direction === 'rtl' ? 'right' : 'left');

/** The context of a mail's first blocks; `bare`: on a card without padding that stays light. */
export const onCard = (direction: Direction, bare: boolean): RenderContext => ({
  direction,
  align: null,
  background: bare ? THEME.card.light : null,
  muted: false,
  width: bare ? MAIL_WIDTH : CONTENT_WIDTH,
});
