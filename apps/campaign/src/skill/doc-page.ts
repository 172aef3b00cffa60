/** One page of documentation for agents. */
export interface DocPage {
  slug: string;
  title: string;
  /** One sentence for the catalogue. */
  summary: string;
  markdown: string;
}

/** Formats a call for agents; tests run every one. Names in braces are placeholders for ids of an earlier result. */
export const example = (tool: string, input: object): string =>
  `\`\`\`json tool=${tool}\n${JSON.stringify(input, null, 2)}\n\`\`\``;

/** Data that is part of a call, as agents read it. */
export const sample = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The paragraphs and examples of a page, in order. */
export const page = (slug: string, title: string, summary: string, parts: string[]): DocPage => ({
  slug,
  title,
  summary,
  markdown: [`# ${title}`, ...parts].join('\n\n'),
});
