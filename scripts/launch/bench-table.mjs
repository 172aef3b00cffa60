/** @typedef {{ name: string } & Record<string, number | string>} Row */
/** @typedef {{ title: string, rows: Row[], ratios: { name: string, value: number, bar: string }[] }} Result */

/**
 * The results of all benches as one Markdown table: our figures (the first line of each bench), what they are held against
 * (the second), ratios and bars. A bench that said nothing has a line too.
 * @param {{ bench: string, results: Result[], seconds: number }[]} benches
 */
export function benchTable(benches) {
  const lines = benches.flatMap(({ bench, results, seconds }) =>
    results.length === 0
      ? [[bench, `failed after ${seconds.toFixed(0)} s`, '', '', '', '', '']]
      : results.flatMap(({ title, rows, ratios }) =>
          ratios.map(({ name, value, bar }, n) => [
            n === 0 ? bench : '',
            n === 0 ? title : '',
            n === 0 ? figuresOf(rows[0]) : '',
            n === 0 ? figuresOf(rows[1]) : '',
            `${name} ${shown(value)}`,
            bar,
            holds(value, bar),
          ]),
        ),
  );
  const head = ['bench', 'what', 'ours', 'against', 'ratio', 'bar', 'held'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {Row | undefined} row */
const figuresOf = (row) =>
  Object.entries(row ?? {})
    .map(([key, value]) => (key === 'name' ? String(value) : `${key} ${shown(value)}`))
    .join(', ');

/** @param {number | string} value */
const shown = (value) => (typeof value === 'string' ? value : value.toFixed(value >= 100 ? 0 : 2));

/** @param {number} value @param {string} bar such as `>= 0.5`; in brackets where there is none */
function holds(value, bar) {
  const [, sign, limit] = /^([<>]=?) ([\d.]+)$/.exec(bar) ?? [];
  if (sign === undefined) return '';
  const side = sign.startsWith('<') ? value <= Number(limit) : value >= Number(limit);
  return side ? 'yes' : '**no**';
}
