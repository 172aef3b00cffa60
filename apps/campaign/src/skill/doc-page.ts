export interface DocPage {
  slug: string;
  title: string;
  summary: string;
  markdown: string;
}

/** Formats a call for agents, which tests run; names in braces are placeholders for ids of an earlier result. */
export const example = (tool: string, input: object): string =>
  `\`\`\`json tool=${tool}\n${JSON.stringify(input, null, 2)}\n\`\`\``;

/** Data that is part of a call, as agents read it. */
export const sample = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

export const page = (slug: string, title: string, summary: string, parts: string[]): DocPage => ({
  slug,
  title,
  summary,
  markdown: [`# ${title}`, ...parts].join('\n\n'),
});
