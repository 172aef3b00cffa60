import type { V1Endpoint } from '#contracts';

export interface Matched {
  endpoint: V1Endpoint;
  fromPath: Record<string, string>;
}

/** Finds endpoints by method and path; a literal part takes precedence over a parameter. */
export class EndpointTable {
  readonly #rows: { endpoint: V1Endpoint; parts: string[] }[];

  constructor(endpoints: readonly V1Endpoint[]) {
    this.#rows = endpoints
      .map((endpoint) => ({ endpoint, parts: partsOf(endpoint.path) }))
      .sort((a, b) => (a.parts.join('/').replaceAll(':', '~') < b.parts.join('/').replaceAll(':', '~') ? -1 : 1));
  }

  /** @param path below `/api/v1`, still encoded @returns null for an unknown endpoint */
  find(method: string, path: string): Matched | null {
    const parts = partsOf(path);
    for (const { endpoint, parts: pattern } of this.#rows) {
      if (endpoint.method !== method || pattern.length !== parts.length) continue;
      const fromPath = matched(pattern, parts);
      if (fromPath) return { endpoint, fromPath };
    }
    return null;
  }

  methodsOf(path: string): string[] {
    return [...new Set(this.#rows.map(({ endpoint }) => endpoint.method))].filter((method) => this.find(method, path));
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

function matched(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  const fromPath: Record<string, string> = {};
  for (const [i, wanted] of pattern.entries()) {
    // A plus is a plus, as in an address. The server has already refused invalid encodings.
    const part = decodeURIComponent(parts[i]!);
    if (wanted.startsWith(':')) fromPath[wanted.slice(1)] = part;
    else if (wanted !== part) return null;
  }
  return fromPath;
}
