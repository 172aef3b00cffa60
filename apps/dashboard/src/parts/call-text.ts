export type CallForm = 'call' | 'curl' | 'typescript' | 'command';

/**
 * Writes a call down.
 * @param url the public address of the installation
 * @param input what the tool takes
 */
export function callText(form: CallForm, { tool, input, url }: { tool: string; input: object; url: string }): string {
  const json = JSON.stringify(input);
  switch (form) {
    case 'call':
      return JSON.stringify({ name: tool, arguments: input }, null, 2);
    case 'curl':
      return [
        `curl -X POST ${url}/api/v2/tools/${tool}`,
        `-H "Authorization: Bearer $TIDINGS_TOKEN"`,
        `-H 'Content-Type: application/json'`,
        `-d ${quoted(json)}`,
      ].join(' \\\n  ');
    case 'typescript':
      return `const data = await tidings.tools.${tool}(${JSON.stringify(input, null, 2)});`;
    case 'command':
      return `tidings call ${tool} ${quoted(json)}`;
  }
}

/** A text in single quotes, as a POSIX shell reads it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
