import { natsPid } from '../campaign-send/cpu-usage.js';
import { environment } from '../report.js';
import type { Listmonk } from './listmonk.js';
import type { SinkClient } from './sink-client.js';
import type { Killed, SideRun } from './tidings-side.js';
import { usageDuring } from './usage.js';

/** listmonk, which runs only while it is measured. */
export class ListmonkSide {
  constructor(
    private readonly listmonk: Listmonk,
    private readonly sink: SinkClient,
  ) {}

  /** @param connections null: default settings */
  async send(
    size: number,
    { connections, withinMs }: { connections: number | null; withinMs: number },
  ): Promise<SideRun> {
    const { listmonk, sink } = this;
    await listmonk.fill(size);
    await listmonk.start({ sinkPort: sink.port, connections });
    try {
      const before = await listmonk.databaseBytes();
      const arrived = await sink.expect(size);
      const shared = { postgres: await this.#postmaster(), nats: natsPid(environment().natsUrl), sink: sink.pid };
      const own = new Map([['listmonk', listmonk.pid]]);
      const { result, used } = await usageDuring({ own, shared, messages: size }, async () => {
        const campaignId = await listmonk.send();
        const taken = await arrived(withinMs);
        await listmonk.finished(campaignId, withinMs);
        return taken;
      });
      if (result.recipients !== size) throw new Error(`${size} messages reached ${result.recipients} recipients.`);
      const bytes = ((await listmonk.databaseBytes()) - before) / size;
      return { rate: (size - 1) / result.seconds, used, bytes };
    } finally {
      await listmonk.end('SIGTERM');
    }
  }

  /** Kills it when half of a campaign has arrived, starts it again, and counts when nothing comes any more. */
  async kill(
    size: number,
    { connections, withinMs, settleMs }: { connections: number; withinMs: number; settleMs: number },
  ): Promise<Killed> {
    const { listmonk, sink } = this;
    await listmonk.fill(size);
    await listmonk.start({ sinkPort: sink.port, connections });
    try {
      await sink.count();
      await listmonk.send();
      await sink.reached(size / 2, withinMs);
      await listmonk.end('SIGKILL');
      await listmonk.resume();
      const { recipients, twice } = await sink.settled(settleMs);
      const never = size - recipients;
      return { never, twice, unnamed: never, inDoubt: null };
    } finally {
      await listmonk.end('SIGTERM');
    }
  }

  async #postmaster(): Promise<number> {
    const { rows } = await this.listmonk.sql.query<{ line: string }>(
      `select pg_read_file('postmaster.pid', 0, 20) as line`,
    );
    return Number.parseInt(rows[0]!.line, 10);
  }
}
