import { TestSystem } from '#testing';
import { natsPid } from '../campaign-send/cpu-usage.js';
import { Organization } from '../campaign-send/organization.js';
import { RowCounter } from '../campaign-send/row-counter.js';
import { environment } from '../report.js';
import type { Used } from './usage.js';
import { usageDuring } from './usage.js';
import type { SinkClient } from './sink-client.js';

const processes = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'];

export interface SideRun {
  /** Messages a second at the sink, from the first to the last. */
  rate: number;
  used: Used;
  /** Bytes that the database grew by, a message. */
  bytes: number;
}

export interface TidingsSettings {
  dkim: 'ours' | 'relay';
  /** Null: the default. */
  connections: number | null;
}

/** Tidings as a system of its own. */
export class TidingsSide {
  private constructor(
    private readonly system: TestSystem,
    private readonly rowCounter: RowCounter,
    private readonly sink: SinkClient,
  ) {}

  static async start(sink: SinkClient, { dkim, connections }: TidingsSettings): Promise<TidingsSide> {
    const { buildDir, databaseUrl, natsUrl, masterKey } = environment();
    const system = await TestSystem.start({
      buildDir,
      databaseUrl,
      natsUrl,
      masterKey,
      environment: {
        SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
        SMTP_DKIM: dkim,
        ...(connections !== null && { SMTP_CONNECTIONS: String(connections), SEND_WINDOW: '2' }),
      },
      processes,
    });
    await system.awaitLedger();
    const rowCounter = new RowCounter(system.environment.DATABASE_URL!);
    await rowCounter.open();
    return new TidingsSide(system, rowCounter, sink);
  }

  /** Sends a campaign to `size` new people, and waits until the history of each has it. */
  async send(size: number, withinMs: number): Promise<SideRun> {
    const organization = await Organization.open(this.system, environment().natsUrl, size);
    const before = await this.#databaseBytes();
    const arrived = await this.sink.expect(size);
    const { postmaster } = await this.rowCounter.processes();
    const shared = { postgres: postmaster, nats: natsPid(environment().natsUrl), sink: this.sink.pid };
    const own = new Map(processes.map((name) => [name, this.system.alive(name)[0]!.child.pid!]));
    const { result, used } = await usageDuring({ own, shared, messages: size }, async () => {
      await organization.send();
      const taken = await arrived(withinMs);
      await organization.sent(withinMs);
      await this.rowCounter.factsApplied(organization.organizationId, size, withinMs);
      return taken;
    });
    if (result.recipients !== size) throw new Error(`${size} messages reached ${result.recipients} recipients.`);
    const bytes = ((await this.#databaseBytes()) - before) / size;
    return { rate: (size - 1) / result.seconds, used, bytes };
  }

  /** Kills all processes when half of a campaign has arrived, starts them, and counts when nothing comes any more. */
  async kill(size: number, { withinMs, settleMs }: { withinMs: number; settleMs: number }): Promise<Killed> {
    const organization = await Organization.open(this.system, environment().natsUrl, size);
    await this.sink.count();
    await organization.send();
    await this.sink.reached(size / 2, withinMs);
    await Promise.all(
      processes.flatMap((name) => this.system.alive(name)).map((one) => this.system.end(one, 'SIGKILL')),
    );
    for (const name of processes) await this.system.add(name);
    const { recipients, twice } = await this.sink.settled(settleMs);
    const inDoubt = await organization.inDoubt();
    const never = size - recipients;
    const named = inDoubt.length - (await this.sink.known(inDoubt));
    return { never, twice, unnamed: never - named, inDoubt: inDoubt.length };
  }

  async stop(): Promise<void> {
    await this.rowCounter.close();
    await this.system.stop();
  }

  async #databaseBytes(): Promise<number> {
    return [...(await this.rowCounter.sizes()).values()].reduce((sum, bytes) => sum + bytes, 0);
  }
}

export interface Killed {
  never: number;
  /** Of those, messages that the sender does not report as perhaps lost. */
  unnamed: number;
  twice: number;
  /** Messages that the sender reports as perhaps lost; null where it knows of none. */
  inDoubt: number | null;
}
