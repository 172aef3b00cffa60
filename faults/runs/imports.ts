import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { serviceCaller } from '#bus';
import { importBytesMax, subscriberImportTools } from '#contracts';
import type { ImportCheck } from '#contracts';
import { uuidOf } from '#database';
import { until } from '#testing';
import { killAndStart } from '../inject/process-fault.js';
import { liftRateLimit } from '../load/gateway-client.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { withDatabase } from '../rig/system-database.js';

const mebibyte = 1024 ** 2;
/** Parts in which the file arrives; each but the last is broken off. */
const parts = 12;
/** The part in whose middle the subscriber service is killed, and the shares of the rows after which it is killed again. */
const killed = { part: 5, rows: [0.3, 0.7] };
const downMs = 1_000;
const jobMs = 2 * 3_600_000;
const sampleMs = 500;
/** Most memory of one process, in MB; the bench import-job holds the subscriber service to it too. */
const memoryMaxMb = 250;
/** Bytes of a row; equal ones let a part begin anywhere. */
const rowBytes = 512;
/** Rows from one refused row to the next. */
const refusedEvery = 10_000;
const header = 'email,name,note\n'.padEnd(rowBytes, '\n');
const rowsPerChunk = 256;

export interface ImportsResult {
  mebibytes: number;
  rows: number;
  breaks: number;
  kills: number;
  /** Seconds. */
  upload: number;
  check: number;
  run: number;
  /** The most memory of any process of a service, in MB. */
  peakMb: Record<'gateway' | 'subscriber', number>;
  breaches: string[];
}

interface ImportState {
  state: string;
  receivedBytes: number;
  rows: number | null;
  done: number;
  imported: number;
  updated: number;
  failed: number;
  failure: string | null;
  errorsUrl?: string;
  check?: ImportCheck | null;
}

/**
 * Uploads a file through two gateways with ten breaks, checks and imports it. The subscriber service is killed once while
 * it receives, and twice while it imports. Every row must have its effect once, and memory must not follow the file.
 */
export async function runImports(rig: FaultRig, seed: number, mebibytes: number): Promise<ImportsResult> {
  const { system, bus } = rig;
  await liftRateLimit(bus, system.organizationId);
  const spare = await system.add('gateway');
  const memory = new MemoryPeaks(rig);
  try {
    return await new ImportRun(rig, { seed, bytes: Math.min(mebibytes * mebibyte, importBytesMax) }, memory).run();
  } finally {
    memory.stop();
    await system.end(spare);
  }
}

class ImportRun {
  readonly #rows: number;
  readonly #size: number;
  readonly #tools;
  readonly #times = { upload: 0, check: 0, run: 0 };
  /** Of the people in the file, who are in no other run of this system. */
  readonly #domain: string;
  #importId = '';
  #kills = 0;
  #breaks = 0;

  constructor(
    private readonly rig: FaultRig,
    { seed, bytes }: { seed: number; bytes: number },
    private readonly memory: MemoryPeaks,
  ) {
    this.#domain = `rows${seed}.internal`;
    this.#rows = Math.floor(bytes / rowBytes) - 1;
    this.#size = (this.#rows + 1) * rowBytes;
    this.#tools = rig.bus.client(subscriberImportTools);
  }

  async run(): Promise<ImportsResult> {
    this.#importId = (await this.#tools.create_subscriber_import({}, this.#caller())).import.id;
    await this.#timed('upload', () => this.#upload());
    await this.#timed('check', async () => {
      await this.#tools.check_subscriber_import({ importId: this.#importId }, this.#caller());
      await this.#reached('it is checked', ({ state }) => state === 'CHECKED');
    });
    const { check } = await this.#state();
    await this.#timed('run', () => this.#import());
    return {
      mebibytes: this.#size / mebibyte,
      rows: this.#rows,
      breaks: this.#breaks,
      kills: this.#kills,
      ...this.#times,
      peakMb: this.memory.peakMb,
      breaches: [...(await this.#breaches(check!)), ...this.memory.breaches],
    };
  }

  /** Sends what is missing, part by part, each through the other gateway. */
  async #upload(): Promise<void> {
    for (let turn = 0; ; turn++) {
      const { state, receivedBytes } = await this.#state();
      if (state === 'UPLOADED') return;
      const part = Math.floor((receivedBytes / this.#size) * parts) + 1;
      const end = part >= parts ? this.#size : Math.floor((this.#size * part) / parts) + part;
      const isStruck = part === killed.part && this.#kills === 0;
      const gateways = this.rig.system.alive('gateway');
      const url = gateways[turn % gateways.length]!.facts.url as string;
      await this.#send(
        url,
        isStruck ? [receivedBytes, Math.floor((receivedBytes + end) / 2), end] : [receivedBytes, end],
      );
      if (end < this.#size && !isStruck) this.#breaks += 1;
      if (turn > 10 * parts) throw new Error(`the upload does not end: it is at ${receivedBytes}`);
    }
  }

  /**
   * Puts the file from the first place on, and breaks off at the last unless that is the end of the file. At a place between
   * them, the subscriber service is killed.
   */
  async #send(url: string, places: number[]): Promise<void> {
    const [offset, end] = [places[0]!, places.at(-1)!];
    const put = request(`${url}/api/v2/imports/${this.#importId}/file?offset=${offset}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${this.rig.system.apiToken}`,
        'content-type': 'text/csv',
        'content-length': this.#size - offset,
      },
    });
    let isOver = false;
    const over = new Promise<void>((resolve) => {
      put.once('error', () => resolve());
      put.once('close', () => resolve());
      put.once('response', (response) => response.resume().once('end', () => resolve()));
    }).then(() => void (isOver = true));
    for (let n = 1; n < places.length; n++) {
      for (const chunk of bytesOf(places[n - 1]!, places[n]!, this.#domain)) {
        if (!isOver && !put.write(chunk)) await Promise.race([once(put, 'drain').catch(() => undefined), over]);
      }
      if (places[n] === this.#size) put.end();
      // Those in flight would be lost with the connection.
      else await this.#arrived(places[n]!, () => isOver);
      if (n < places.length - 1 && !isOver) await this.#kill();
    }
    if (end < this.#size) put.destroy();
    await over;
  }

  /** Waits until all whole pieces before a place have arrived, or the upload is over. */
  async #arrived(place: number, isOver: () => boolean): Promise<void> {
    const whole = Math.floor(place / mebibyte) * mebibyte;
    await this.#reached(`${whole} bytes arrived`, ({ receivedBytes }) => receivedBytes >= whole || isOver());
  }

  async #import(): Promise<void> {
    await this.#tools.start_subscriber_import({ importId: this.#importId }, this.#caller());
    for (const share of killed.rows) {
      await this.#reached(`${share} are done`, ({ state, done }) => state === 'RUNNING' && done > share * this.#rows);
      await this.#kill();
    }
    await this.#reached('it is done', ({ state }) => state === 'DONE');
  }

  async #kill(): Promise<void> {
    this.#kills += 1;
    await killAndStart(this.rig.system, 'subscriber', downMs);
  }

  /** What the result has that the file does not say, or lacks. */
  async #breaches(check: ImportCheck): Promise<string[]> {
    const refused = Math.floor((this.#rows - 1) / refusedEvery) + 1;
    const expected = this.#rows - refused;
    const { imported, updated, failed, rows, errorsUrl } = await this.#state();
    const stored = await this.#stored();
    const errors = await fetch(this.rig.system.url() + new URL(errorsUrl!).pathname).then((reply) => reply.text());
    const found: [what: string, value: number | null | undefined, expected: number][] = [
      ['rows', rows, this.#rows],
      ['rows were imported', imported, expected],
      ['rows changed a subscriber', updated, 0],
      ['rows were refused', failed, refused],
      ['rows were new in the check', check.new, imported],
      ['rows were refused in the check', check.refused.EMAIL_INVALID, failed],
      ['subscribers are stored', stored.subscribers, expected],
      ['beginnings of a subscription are in the history', stored.events, expected],
      ['subscribers have their field', stored.noted, expected],
      ['lines of refused rows', errors.trimEnd().split('\n').length - 1, refused],
    ];
    const wrong = found.flatMap(([what, value, is]) => (value === is ? [] : [`${value} ${what}, expected ${is}`]));
    return this.#breaks < parts - 2 ? [...wrong, `only ${this.#breaks} breaks`] : wrong;
  }

  /** Counts in the tables. */
  async #stored(): Promise<{ subscribers: number; noted: number; events: number }> {
    return await withDatabase(this.rig.system, async (client) => {
      const { rows } = await client.query<{ subscribers: number; noted: number; events: number }>(
        `select count(*)::int as subscribers, count(*) filter (where custom <> '{}')::int as noted,
           (select count(*)::int from subscriber.subscriber_event e join subscriber.subscriber p using (organization_id, subscriber_id)
            where e.organization_id = $1 and e.type = 'SUBSCRIBED' and p.email like '%@' || $2) as events
         from subscriber.subscriber s where s.organization_id = $1 and s.email like '%@' || $2`,
        [uuidOf('org', this.rig.system.organizationId), this.#domain],
      );
      return rows[0]!;
    });
  }

  async #state(): Promise<ImportState> {
    return await retryUntilAnswered(
      'the state of the import',
      async () => (await this.#tools.get_subscriber_import({ importId: this.#importId }, this.#caller())).import,
      60_000,
    );
  }

  async #reached(what: string, is: (state: ImportState) => boolean): Promise<void> {
    await until(
      what,
      async () => {
        const now = await this.#state();
        if (now.failure !== null) throw new Error(now.failure);
        return is(now);
      },
      jobMs,
    );
  }

  async #timed(phase: 'upload' | 'check' | 'run', work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await work();
    this.#times[phase] = (performance.now() - started) / 1000;
  }

  #caller() {
    return serviceCaller(this.rig.system.organizationId, 'rig');
  }
}

/** The bytes of the file from a place to another. @param domain of the people */
function* bytesOf(from: number, to: number, domain: string): Generator<Buffer> {
  for (let row = Math.floor(from / rowBytes); row * rowBytes < to; row += rowsPerChunk) {
    const texts = Array.from({ length: rowsPerChunk }, (_, n) => (row + n === 0 ? header : rowOf(row + n, domain)));
    const start = row * rowBytes;
    yield Buffer.from(texts.join('')).subarray(Math.max(0, from - start), to - start);
  }
}

/** A row by its number, from 1. */
function rowOf(n: number, domain: string): string {
  const email = (n - 1) % refusedEvery === 0 ? `nobody${n}` : `person${n}@${domain}`;
  return `${`${email},Person ${n},`.padEnd(rowBytes - 1, `a note of ${n} `)}\n`;
}

/** The most memory that processes had, read again and again, since killed ones cannot be asked. */
class MemoryPeaks {
  readonly peakMb = { gateway: 0, subscriber: 0 };
  readonly #timer;

  constructor({ system }: FaultRig) {
    const read = () => {
      for (const name of ['gateway', 'subscriber'] as const)
        for (const { child } of system.alive(name)) this.peakMb[name] = Math.max(this.peakMb[name], peakOf(child.pid!));
    };
    this.#timer = setInterval(read, sampleMs);
  }

  get breaches(): string[] {
    return Object.entries(this.peakMb).flatMap(([name, mb]) =>
      mb < memoryMaxMb ? [] : [`a ${name} process had ${mb.toFixed(0)} MB, of ${memoryMaxMb}`],
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** @returns MB; 0 for a process that has just ended */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The result as a line. */
export const importsLine = ({ mebibytes, rows, breaks, kills, upload, check, run, peakMb }: ImportsResult): string =>
  `import: ${mebibytes.toFixed(0)} MiB, ${rows} rows, ${breaks} breaks, ${kills} kills of subscriber; upload ${upload.toFixed(0)} s, check ${check.toFixed(0)} s, run ${run.toFixed(0)} s; at most ${peakMb.gateway.toFixed(0)} MB in a gateway, ${peakMb.subscriber.toFixed(0)} MB in subscriber`;
