import pg from 'pg';
import type { Tracer } from './span.js';

interface Asked {
  query(...args: unknown[]): unknown;
}
interface Statement {
  text?: string;
  name?: string;
}

/** More says nothing more about a statement. */
const textMax = 2_000;

/**
 * Makes every statement that runs inside a span a span of its own, with the statement's text and never its parameters.
 * @returns how to stop that
 */
export function traceSql(tracer: Tracer): () => void {
  const client: Asked = pg.Client.prototype;
  const plain = client.query;
  client.query = function (this: unknown, ...args: unknown[]) {
    const [asked] = args;
    const statement: Statement = typeof asked === 'string' ? { text: asked } : (asked ?? {});
    // Cursors and copies are read after the call; what they cost shows in the span around.
    if (typeof statement.text !== 'string' || tracer.current() === undefined) return plain.apply(this, args);
    const callback = args.at(-1);
    const run = (ask: () => Promise<unknown>) =>
      void tracer.run(nameOf(statement), factsOf(statement), ask).catch(() => undefined);
    if (typeof callback !== 'function') {
      let answer: unknown;
      run(() => (answer = plain.apply(this, args)) as Promise<unknown>);
      return answer;
    }
    run(
      () =>
        new Promise((resolve, reject) => {
          const heard = (error: unknown, result: unknown) => {
            if (error) reject(error);
            else resolve(result);
            (callback as Asked['query'])(error, result);
          };
          plain.apply(this, [...args.slice(0, -1), heard]);
        }),
    );
    return undefined;
  };
  return () => (client.query = plain);
}

const factsOf = ({ text }: Statement) => ({
  kind: 'client' as const,
  attributes: { 'db.system.name': 'postgresql', 'db.query.text': text!.slice(0, textMax) },
});

/** What a statement does to which table (`insert message`), by what it writes first; prepared ones have a name. */
function nameOf({ text, name }: Statement): string {
  if (name) return name;
  const [, verb, table] =
    /\b(insert|delete|update)\s+(?:into\s+|from\s+)?([a-z_]+)/i.exec(text!) ??
    /\b(select)\b[\s\S]*?\bfrom\s+(?!unnest|generate|jsonb|lateral)([a-z_]+)/i.exec(text!) ??
    [];
  return verb ? `${verb.toLowerCase()} ${table}` : text!.trim().slice(0, 20).toLowerCase();
}
