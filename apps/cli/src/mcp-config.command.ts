import { UsageError } from './command-error.js';
import { mcpDefaults } from './config.js';
import type { Command } from './command.js';

interface Endpoint {
  url: string;
  authorization: string;
}

interface ClientConfig {
  about: string;
  lines(endpoint: Endpoint): string[];
}

const json = (value: object): string[] => JSON.stringify(value, null, 2).split('\n');
const remote = ({ url, authorization }: Endpoint) => ({ url, headers: { Authorization: authorization } });
/** For clients that start a process and communicate over its standard input and output. */
const bridge = ({ url, authorization }: Endpoint) => ({
  command: 'npx',
  args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
  env: { AUTHORIZATION: authorization },
});

const clients: Readonly<Record<string, ClientConfig>> = {
  'claude-code': {
    about: 'Run this command:',
    lines: ({ url, authorization }) => [
      `claude mcp add --transport http tidings ${url} --header "Authorization: ${authorization}"`,
    ],
  },
  'claude-desktop': {
    about: 'Add this to claude_desktop_config.json (Settings, Developer, Edit Config):',
    lines: (endpoint) => json({ mcpServers: { tidings: bridge(endpoint) } }),
  },
  codex: {
    about: 'Add this to ~/.codex/config.toml:',
    lines: ({ url, authorization }) => [
      '[mcp_servers.tidings]',
      `url = ${JSON.stringify(url)}`,
      `http_headers = { Authorization = ${JSON.stringify(authorization)} }`,
    ],
  },
  cursor: {
    about: 'Add this to .cursor/mcp.json of the project, or to ~/.cursor/mcp.json:',
    lines: (endpoint) => json({ mcpServers: { tidings: remote(endpoint) } }),
  },
  gemini: {
    about: 'Add this to ~/.gemini/settings.json:',
    lines: (endpoint) => {
      const { url, headers } = remote(endpoint);
      return json({ mcpServers: { tidings: { httpUrl: url, headers } } });
    },
  },
  vscode: {
    about: 'Add this to .vscode/mcp.json of the workspace:',
    lines: (endpoint) => json({ servers: { tidings: { type: 'http', ...remote(endpoint) } } }),
  },
  json: {
    about: 'Any client that takes a URL and headers needs these:',
    lines: (endpoint) => json({ type: 'streamable-http', ...remote(endpoint) }),
  },
};

export const mcpClients = Object.keys(clients);

export const mcpConfigCommand: Command = {
  words: ['mcp-config'],
  parameters: ['CLIENT'],
  about: `Prints what an MCP client needs: ${mcpClients.join(', ')}.`,
  options: {
    url: { value: 'URL', about: 'public address of Tidings (default: PUBLIC_URL, else http://localhost:3000)' },
    token: { value: 'TOKEN', about: 'API token (default: TIDINGS_TOKEN, else a place to put one)' },
  },
  run: (typed, { terminal }) => {
    const [name = ''] = typed.parameters;
    const client = Object.hasOwn(clients, name) ? clients[name] : undefined;
    if (!client) throw new UsageError(`"${name}" is unknown; the clients are ${mcpClients.join(', ')}.`);
    const base = typed.text('url') ?? mcpDefaults().url;
    if (!URL.canParse(base)) throw new UsageError(`--url must be a URL, not "${base}".`);
    const token = typed.text('token') ?? mcpDefaults().token;
    const endpoint = { url: `${base.replace(/\/+$/, '')}/api/mcp`, authorization: `Bearer ${token}` };
    terminal.note(client.about);
    for (const line of client.lines(endpoint)) terminal.say(line);
    return Promise.resolve();
  },
};
