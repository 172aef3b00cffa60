import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readReport } from '../../apps/delivery/src/bounce/read-report.js';
import type { MailReport } from '../../apps/delivery/src/bounce/report.js';

/*
 * Classifies a folder of mails, one JSON object a line, and sums up: `npm run bench -- bounces --dir=<folder>`. `agrees` is
 * about mails that hold a Status line: whether its class is what was read from the mail. Nothing is stored.
 */

interface Line {
  file: string;
  kind: MailReport['kind'] | 'crash';
  permanent: boolean | null;
  /** The class of the first Status line that holds one, wherever it stands in the file. */
  statusLine: string | null;
  milliseconds: number;
  detail: unknown;
}

const files = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => files(join(path, name))) : [path];

async function classify(file: string): Promise<Line> {
  const raw = readFileSync(file);
  const begin = performance.now();
  const statusLine = /^Status:[ \t]*([245]\.\d{1,3}\.\d{1,3})/im.exec(raw.toString('latin1'))?.[1] ?? null;
  try {
    const { kind, ...report } = await readReport(raw);
    const milliseconds = Math.round((performance.now() - begin) * 10) / 10;
    const permanent = 'recipients' in report ? (report.recipients[0]?.permanent ?? null) : null;
    return { file, kind, permanent, statusLine, milliseconds, detail: report };
  } catch (error) {
    return { file, kind: 'crash', permanent: null, statusLine, milliseconds: 0, detail: String(error) };
  }
}

const folder = process.argv.find((argument) => argument.startsWith('--dir='))?.slice('--dir='.length);
if (folder === undefined) {
  process.stdout.write('bounces: name a folder of mails with --dir=<folder>\n');
} else {
  const lines: Line[] = [];
  for (const file of files(folder)) lines.push(await classify(file));
  for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
  const of = (test: (line: Line) => boolean) => lines.filter(test).length;
  const withStatus = lines.filter(({ statusLine, permanent }) => statusLine !== null && permanent !== null);
  const summary = {
    mails: lines.length,
    crashes: of(({ kind }) => kind === 'crash'),
    bounces: of(({ kind }) => kind === 'bounce'),
    complaints: of(({ kind }) => kind === 'complaint'),
    others: of(({ kind }) => kind === 'other' || kind === 'delivered'),
    permanent: of(({ permanent }) => permanent === true),
    temporary: of(({ permanent }) => permanent === false),
    withStatusLine: withStatus.length,
    agrees: withStatus.filter(({ statusLine, permanent }) => statusLine!.startsWith('5') === permanent).length,
    slowestMilliseconds: Math.max(0, ...lines.map(({ milliseconds }) => milliseconds)),
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (summary.crashes > 0) process.exitCode = 1;
}
