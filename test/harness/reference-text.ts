/** A table of Markdown; pipes and line breaks in cells are escaped. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n');
}

/** A generated page: title, audience and result first, the next page last. `from` names what it is generated from. */
export function referencePage(options: {
  title: string;
  intro: string;
  from: string;
  sections: readonly string[];
  next: { title: string; path: string };
}): string {
  const { title, intro, from, sections, next } = options;
  return [
    `# ${title}`,
    `${intro} This page is generated from ${from} (\`npm run generate\`); edits are overwritten.`,
    ...sections.map((section) => section.trim()),
    `Next: [${next.title}](${next.path}).\n`,
  ].join('\n\n');
}

export const codes = (names: Iterable<string>): string => [...names].map((name) => `\`${name}\``).join(', ');
