import { randomUUID } from 'node:crypto';
import { connectBus, serviceCaller } from '#bus';
import type { Bus, Client } from '#bus';
import { domainRequests } from '#contracts';
import type { Caller } from '#tool-call';
import { CommandError, UnreachableError } from './command-error.js';
import type { Confirm } from '#client';
import { Api } from './api.js';
import { apiAccess } from './config.js';
import type { OperatorConfig } from './config.js';
import { jsonLine, plainLines } from './terminal.js';
import type { Terminal } from './terminal.js';
import type { Typed } from './typed.js';

export class Session {
  #bus: Promise<Bus> | null = null;
  readonly #requestId = randomUUID();

  readonly terminal: Terminal;

  constructor(
    terminal: Terminal,
    private readonly config: OperatorConfig,
  ) {
    this.terminal = plainLines(terminal);
  }

  /**
   * The API, for an organization and with the confirmation that was typed; its calls may throw UnreachableError.
   * @param organization its id or number; default: that of --org
   */
  api(typed: Typed, organization = typed.text('org')): Api {
    const access = () => {
      const found = apiAccess(this.config);
      if (found) return found;
      throw new UnreachableError(
        'No running system is known here. Start one with `npm start`, or set TIDINGS_URL and TIDINGS_TOKEN.',
      );
    };
    const confirm: Confirm = async ({ message }) => {
      if (typed.has('yes')) return true;
      this.terminal.note(message);
      return (await this.terminal.ask('Go on?')) ?? false;
    };
    return new Api({ access, organization, confirm });
  }

  /** Shows a result: with --json as one document, else as the lines for people. */
  readonly show = (typed: Typed, data: unknown, lines: () => string[]): void => {
    for (const line of typed.has('json') ? [jsonLine(data)] : lines()) this.terminal.say(line);
  };

  /** The bus of the running system, connected at the first call. @throws UnreachableError without a running system */
  async bus(): Promise<Bus> {
    const { NATS_URL = null } = this.config;
    if (NATS_URL === null) {
      throw new UnreachableError(
        'No running system is known here. Start one with `npm start`; this command needs its NATS.',
      );
    }
    const { NATS_NAMESPACE: namespace, CELLS: cells } = this.config;
    this.#bus ??= connectBus({ url: NATS_URL, namespace, cells, name: 'operator' }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      const where = NATS_URL.replace(/\/\/[^@/]*@/g, '//');
      throw new UnreachableError(`NATS at ${where} does not answer (${why}). Is the system running?`);
    });
    return await this.#bus;
  }

  async domain(): Promise<Client<typeof domainRequests>> {
    return (await this.bus()).client(domainRequests);
  }

  /** The operator as a caller, for one call from now on; no `organizationId` for requests that name it themselves. */
  caller(organizationId = ''): Caller {
    return { ...serviceCaller(organizationId, this.#requestId), source: 'operator' };
  }

  /** The organization of a command: the one given, which must exist, else the only one. */
  async organizationId(given: string | undefined): Promise<string> {
    const domain = await this.domain();
    const organizations =
      given === undefined
        ? (await domain.list_organizations({}, this.caller())).organizations
        : [(await domain.get_organization({}, this.caller(given))).organization];
    const [only, ...more] = organizations;
    if (only && more.length === 0) {
      (await this.bus()).placement.note({ organizationId: only.id, cell: only.cell });
      return only.id;
    }
    throw new CommandError(`There are ${organizations.length} organizations: say which with --org (see: org list).`);
  }

  async close(): Promise<void> {
    await (await this.#bus?.catch(() => null))?.close();
  }
}
