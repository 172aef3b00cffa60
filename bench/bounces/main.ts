import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readReport } from '../../apps/delivery/src/report/bounce/read-report.js';
import type { MailReport } from '../../apps/delivery/src/report/bounce/report.js';
import { readLabels, score, summarize } from './score.js';
import type { Scored } from './score.js';

/*
 * Classifies a folder of mails, one JSON object a line, and sums up: `npm run bench -- bounces --dir=<folder>`. `agrees` is
 * about mails that hold a Status line: whether its class equals the one read from the mail. With `--labels=<file>` only the
 * mails that it names are read, and compared with its labels by class; `--misses` lists those that disagree, so that one
 * half of a corpus may stay unseen. Nothing is stored.
 */

interface Line {
  file: string;
  kind: MailReport['kind'] | 'crash';
  permanent: boolean | null;
  /** The class of the first Status line that holds one, anywhere in the file. */
  statusLine: string | null;
  milliseconds: number;
  detail: unknown;
}

const files = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => files(join(path, name))) : [path];

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const write = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

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

async function classifyAll(folder: string): Promise<void> {
  const lines: Line[] = [];
  for (const file of files(folder)) lines.push(await classify(file));
  lines.forEach(write);
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
  write(summary);
  if (summary.crashes > 0) process.exitCode = 1;
}

async function scoreAll(folder: string, labels: string): Promise<void> {
  const byName = new Map(files(folder).map((file) => [basename(file), file]));
  const scored: Scored[] = [];
  for (const label of readLabels(readFileSync(labels, 'utf8'))) {
    const file = byName.get(basename(label.file));
    if (file === undefined) throw new Error(`${label.file} is labelled and not in ${folder}.`);
    const report = await readReport(readFileSync(file)).catch(() => null);
    const one = score(label, report);
    scored.push(one);
    if (process.argv.includes('--misses') && !one.agrees) write({ ...one, report });
  }
  for (const line of summarize(scored)) process.stdout.write(`${Object.values(line).join('\t')}\n`);
  if (scored.some(({ kind }) => kind === 'crash')) process.exitCode = 1;
}

const [folder, labels] = [option('dir'), option('labels')];
if (folder === undefined) {
  process.stdout.write('bounces: name a folder of mails with --dir=<folder>\n');
} else if (labels === undefined) {
  await classifyAll(folder);
} else {
  process.stdout.write('class\tmails\tagrees\tfalse hard\tmissed hard\tread as bounce\n');
  await scoreAll(folder, labels);
}
