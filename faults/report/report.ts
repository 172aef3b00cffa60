import { cpus, totalmem } from 'node:os';
import pg from 'pg';

/**
 * A report of a whole run as Markdown: how to repeat it, on what it ran, the tables, and every run.
 * @param args of the command @param lines that were said
 */
export async function reportOf(
  args: readonly string[],
  lines: readonly string[],
  databaseUrl: string,
): Promise<string> {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const command = args.filter((word, n) => word !== '--report' && args[n - 1] !== '--report').join(' ');
  const tables = lines.filter((line) => line.startsWith('\n')).map((line) => line.slice(1));
  const runs = lines.filter((line) => !line.startsWith('\n'));
  return [
    '# Fault report\n',
    'For contributors: the results of one whole run. [Faults](faults.md) explains targets and invariants.\n',
    `Run: \`npm run faults -- ${command}\` on ${new Date().toISOString().slice(0, 10)}. The same seeds inject faults at the same`,
    'counts of accepted messages; the timing of the machine differs.\n',
    `${cpus().length} cores (${processor?.model.trim()}), ${gigabytes} GB, Node ${process.version}, ${await serverVersion(databaseUrl)}.\n`,
    ...tables.flatMap((table) => [table, '']),
    '## Every run\n',
    '```',
    ...runs,
    '```\n',
    'Next: [launcher](launcher.md).\n',
  ].join('\n');
}

async function serverVersion(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return `PostgreSQL ${rows[0]!.version.split(' ')[0]}`;
  } finally {
    await client.end();
  }
}
