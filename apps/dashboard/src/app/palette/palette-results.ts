import type { IconName } from '../../ui/icon.js';
import { screenText } from '../../messages/en/shell.js';
import { paletteText } from '../../messages/en/palette.js';
import { screenPaths } from '../../parts/screen-paths.js';
import type { ScreenName } from '../../parts/screen-paths.js';
import type { ScreenTarget } from '../../parts/screen-link.js';
import type { PageAction } from './page-actions.js';
import type { PaletteTool } from './palette-tools.js';

export interface PaletteResult {
  key: string;
  group: 'pages' | 'actions' | 'records' | 'tools';
  icon: IconName;
  text: string;
  detail?: string;
  target?: ScreenTarget;
  /** The first button of the page is pressed too. */
  isAction?: boolean;
  tool?: PaletteTool;
}

const shownMax = { pages: 6, actions: 4, tools: 8 };

/** How well a text fits what was typed: 0 not at all, more for earlier and whole words. */
function fit(text: string, words: readonly string[]): number {
  let points = 0;
  for (const word of words) {
    const place = text.toLowerCase().indexOf(word);
    if (place < 0) return 0;
    points += place === 0 ? 3 : /[\W_]/.test(text[place - 1]!) ? 2 : 1;
  }
  return points || 1;
}

const best = <T>(items: readonly T[], textOf: (item: T) => string, query: string, max: number): T[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items
    .map((item) => ({ item, points: fit(textOf(item), words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, max)
    .map(({ item }) => item);
};

/** Also found by the other words for making something. */
const wordsOf = ({ screen, text }: PageAction): string => `${text} ${screenText(screen)} ${paletteText('actionWords')}`;

export function paletteResults(
  query: string,
  pages: readonly ScreenName[],
  pageActions: readonly PageAction[],
  tools: readonly PaletteTool[],
): PaletteResult[] {
  const whole = pages.filter((name) => !screenPaths[name].includes('$'));
  return [
    ...best(whole, screenText, query, shownMax.pages).map((name): PaletteResult => ({
      key: `page/${name}`,
      group: 'pages',
      icon: 'chevronRight',
      text: paletteText('goTo', { name: screenText(name) }),
      target: { screen: name } as ScreenTarget,
    })),
    ...(query === '' ? [] : best(pageActions, wordsOf, query, shownMax.actions)).map(
      ({ screen, text }): PaletteResult => ({
        key: `action/${screen}`,
        group: 'actions',
        icon: 'plus',
        text,
        target: { screen } as ScreenTarget,
        isAction: true,
      }),
    ),
    ...(query === '' ? [] : best(tools, ({ keywords }) => keywords, query, shownMax.tools)).map(
      (tool): PaletteResult => ({
        key: `tool/${tool.name}`,
        group: 'tools',
        icon: 'snippet',
        text: tool.name,
        detail: tool.summary,
        tool,
      }),
    ),
  ];
}
