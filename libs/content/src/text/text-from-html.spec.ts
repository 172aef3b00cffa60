import { describe, expect, it } from '@jest/globals';
import { textFromHtml } from './text-from-html.js';
import { parseContent } from '../document/parse-content.js';

/** What the shortest of three runs took of a processor, in microseconds: waiting for one while others have it does not count. */
const timeOf = (run: () => unknown): number =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const start = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(start);
      return user + system;
    }),
  );

const ENDLESS = [
  ['layout tables', '<table><tr><td>x'],
  ['bold words', '<b>x'],
  ['bold nothing', '<b>'],
  ['lists', '<ul><li>x'],
  ['paragraphs in items', '<li><p>x'],
  ['code', '<pre>x\n'],
  ['elements that another name closes', '<div></b>x'],
  ['split tags', '<<b>b>x'],
];

describe('textFromHtml', () => {
  it.each(ENDLESS)('takes eight times as long for eight times as many %s that never end', (_case, piece) => {
    const html = (length: number) => piece.repeat(length / piece.length);
    const short = timeOf(() => textFromHtml(html(40_000)));
    // Linear is 8, the square 64.
    expect(timeOf(() => textFromHtml(html(320_000))) / short).toBeLessThan(30);
  });

  it('keeps all the text of what nests beyond reason, line by line', () => {
    const items = Array.from({ length: 3_000 }, (_, index) => `Item ${index}`);
    const html = `<style>p{color:red}</style>${items.map((item) => `<div><font color="red">${item}`).join('')}`;
    expect(
      textFromHtml(html)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([...items, '']);
  });
});

describe('parseContent', () => {
  it.each(ENDLESS.slice(0, 3))('refuses HTML of endless %s as quickly as it takes any other', (_case, piece) => {
    const content = (length: number) => ({
      type: 'doc',
      content: [{ type: 'html', attrs: { content: piece.repeat(length / piece.length) } }],
    });
    expect(parseContent('MAILY', content(10_000)).ok).toBe(false);
    const time = (length: number) => timeOf(() => parseContent('MAILY', content(length)));
    expect(time(160_000) / time(20_000)).toBeLessThan(30);
  });
});
