import { readdirSync, readFileSync } from 'node:fs';
import { timesOf } from '../campaign-send/cpu-usage.js';

const sampleMs = 200;

export interface Used {
  /** Milliseconds of processor time a message, by process. */
  cpu: Map<string, number>;
  /** The most megabytes resident in all processes of a side at one time, without PostgreSQL, NATS and the sink. */
  megabytes: number;
}

const ownSeconds = (pid: number): number => {
  const { own, children } = timesOf(pid);
  return own + children;
};

/** All processes of the server whose first process this is: seconds of processor time. */
const treeSeconds = (postmaster: number): number => {
  const others = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === postmaster);
  return others.reduce((sum, pid) => sum + timesOf(pid).own, ownSeconds(postmaster));
};

const parentOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It ended meanwhile.
    return null;
  }
};

const residentKb = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/**
 * Measures what one side uses while some work runs. Linux only.
 * @param own the side's processes by name
 * @param shared processes that serve both sides, by name; `postgres` is its first process
 */
export async function usageDuring<T>(
  { own, shared, messages }: { own: Map<string, number>; shared: Record<string, number>; messages: number },
  work: () => Promise<T>,
): Promise<{ result: T; used: Used }> {
  const read = (): Map<string, number> => {
    const spent = new Map([...own].map(([name, pid]) => [name, ownSeconds(pid)]));
    for (const [name, pid] of Object.entries(shared)) {
      spent.set(name, name === 'postgres' ? treeSeconds(pid) : ownSeconds(pid));
    }
    return spent;
  };
  let most = 0;
  const sample = () => {
    most = Math.max(
      most,
      [...own.values()].reduce((sum, pid) => sum + residentKb(pid), 0),
    );
  };
  const sampling = setInterval(sample, sampleMs);
  const before = read();
  try {
    const result = await work();
    sample();
    const cpu = new Map([...read()].map(([name, now]) => [name, ((now - before.get(name)!) * 1000) / messages]));
    return { result, used: { cpu, megabytes: most / 1024 } };
  } finally {
    clearInterval(sampling);
  }
}
