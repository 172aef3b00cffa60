import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestSystem } from '#testing';
import type { RowCounter } from './row-counter.js';

/** Seconds of processor time by who used them. */
type Spent = Map<string, number>;

/** The kernel counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const worthTelling = 0.001;

/** Who uses the processors, which says the same on a busy machine as on a quiet one. Linux only. */
export class CpuUsage {
  readonly #sums = new Map<string, { messages: number; spent: Spent }>();

  constructor(
    private readonly system: TestSystem,
    private readonly rowCounter: RowCounter,
    /** Processes of the bench by name. */
    private readonly helpers: Record<string, number>,
  ) {}

  /** Adds the processor time of all processes during `work` to the sum for messages of this kind. */
  async during<T>(kind: string, messages: number, work: () => Promise<T>): Promise<T> {
    const before = await this.#read();
    const result = await work();
    const after = await this.#read();
    const sum = this.#sums.get(kind) ?? { messages: 0, spent: new Map<string, number>() };
    this.#sums.set(kind, sum);
    sum.messages += messages;
    for (const [name, seconds] of after) {
      sum.spent.set(name, (sum.spent.get(name) ?? 0) + seconds - (before.get(name) ?? 0));
    }
    return result;
  }

  /** Milliseconds a message, the most first. */
  text(): string {
    const parts = [...this.#sums].map(([kind, { messages, spent }]) => {
      const rows = [...spent].map(([name, seconds]) => ({ name, each: (seconds * 1000) / messages }));
      const lines = rows
        .filter(({ each }) => each >= worthTelling)
        .sort((a, b) => b.each - a.each)
        .map(({ name, each }) => `  ${name.padEnd(46)} ${each.toFixed(3)}\n`);
      const all = rows.reduce((sum, { each }) => sum + each, 0);
      return `\n  milliseconds of processor time a message, ${kind}: ${all.toFixed(3)}\n${lines.join('')}`;
    });
    return parts.join('');
  }

  async #read(): Promise<Spent> {
    const spent: Spent = new Map();
    if (!existsSync('/proc/self/stat')) return spent;
    const add = (name: string, seconds: number) => spent.set(name, (spent.get(name) ?? 0) + seconds);
    for (const { name, child } of this.system.processes) add(name, timesOf(child.pid!).own);
    for (const [name, pid] of Object.entries(this.helpers)) add(name, timesOf(pid).own);
    add('nats', timesOf(natsPid(this.system.environment.NATS_URL!)).own);
    const { postmaster, others } = await this.rowCounter.processes();
    for (const { pid, name } of others) add(`postgres: ${name}`, timesOf(pid).own);
    // Time of ended processes is in the postmaster's account.
    const { own, children } = timesOf(postmaster);
    add('postgres: ended', own + children);
    return spent;
  }
}

/** User and system time of a process and of its children that ended (proc(5), fields 14 to 17 of stat). */
export function timesOf(pid: number): { own: number; children: number } {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return { own: 0, children: 0 };
  }
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { own: (fields[11]! + fields[12]!) / ticksPerSecond, children: (fields[13]! + fields[14]!) / ticksPerSecond };
}

/** The server that the launcher started: its configuration names the port. */
/** The NATS server at this address; 0 for none. */
export function natsPid(url: string): number {
  const line = `port: ${new URL(url).port}\n`;
  return Number(
    readdirSync('/proc').find((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const [command = '', , config = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return basename(command).startsWith('nats-server') && readFileSync(config, 'utf8').includes(line);
      } catch {
        return false;
      }
    }) ?? 0,
  );
}
