import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Milliseconds that processes have run on a processor, all threads together: what work costs, whoever else is on the
 * machine. NaN where the kernel does not tell (other than Linux).
 */
export function cpuMs(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    const tasks = `/proc/${pid}/task`;
    if (!existsSync(tasks)) return Number.NaN;
    for (const task of readdirSync(tasks)) {
      nanoseconds += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return nanoseconds / 1e6;
}
