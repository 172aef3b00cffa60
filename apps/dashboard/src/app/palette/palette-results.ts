import type { IconName } from '../../ui/icon.js';
import { screenText } from '../../messages/en/shell.js';
import { paletteText } from '../../messages/en/palette.js';
import { screenPaths } from '../../parts/screen-paths.js';
import type { ScreenName } from '../../parts/screen-paths.js';
import type { ScreenTarget } from '../../parts/screen-link.js';
import type { PaletteTool } from './palette-tools.js';

export interface PaletteResult {
  key: string;
  group: 'pages' | 'records' | 'tools';
  icon: IconName;
  text: string;
  detail?: string;
  target?: ScreenTarget;
  tool?: PaletteTool;
}

const shownMax = { pages: 6, tools: 8 };

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

export function paletteResults(
  query: string,
  pages: readonly ScreenName[],
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
