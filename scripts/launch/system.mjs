import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { daemonFiles, freePort, runningDaemon } from './daemon.mjs';
import { provideNats } from './nats.mjs';
import { childEnvironment } from './paths.mjs';
import { hasServiceData } from './postgres-check.mjs';
import { hasCluster, providePostgres } from './postgres.mjs';
import { endProcess, ownRecord, writeJson } from './process-record.mjs';
import { masterKey } from './secrets.mjs';
import { ServerKeeper } from './server-supervisor.mjs';
import { ServiceProcess } from './service-process.mjs';
import { runtimeFile } from './system-lock.mjs';
import { LaunchError, logFormat, progress, say, startIsOver } from './terminal.mjs';

/** The domain service makes the first organization; then those that answer calls; the door opens last. */
const START_ORDER = [['domain'], ['subscriber', 'campaign', 'workflow', 'delivery'], ['gateway']];

/**
 * The services listen at HEALTH_PORT and the ports after it, in the order in which they start; without it at any free ones.
 * @param {string} name of a service @returns {Record<string, string>}
 */
const healthPort = (name) => {
  const first = Number(process.env.HEALTH_PORT);
  const place = START_ORDER.flat().indexOf(name);
  return first > 0 && place >= 0 ? { HEALTH_PORT: String(first + place) } : {};
};

/** The services' own words of being ready come by another way than the message; the last line is ours. */
const LAST_WORDS_MS = 100;

/**
 * When each part has ended for sure, counted from the request to stop: a call has 25 s, and supervisors wait some 40. The
 * gateway comes first, so that calls find their services; the catcher and what comes before it share the third moment.
 */
const STOPPED_BY_MS = { start: 10_000, gateway: 28_000, services: 32_000, others: 33_000, servers: 34_500 };

/** Where people look for a mail catcher (MailHog, Mailpit). */
const CATCHER_PORTS = { smtp: 1025, http: 8025 };

/** PostgreSQL, NATS, the mail catcher and the six services, as one thing that starts and stops. */
export class System {
  #dataDir;
  #port;
  #claim;
  #buildDir;
  /** @type {ServerKeeper[]} */
  #servers = [];
  /** @type {ServiceProcess[][]} in the order they were started */
  #services = [];
  #stop = new AbortController();
  /** @type {Promise<void>} */
  #started = Promise.resolve();
  /** @type {Record<string, Record<string, unknown>>} */
  #facts = {};
  /** @type {Record<string, string>} */
  #environment = {};
  #isUp = false;

  /**
   * @param {{ dataDir: string, port: number, claim: { release: () => Promise<void> }, buildDir: string }} options
   *   claim: holds the port until the gateway takes it
   */
  constructor({ dataDir, port, claim, buildDir }) {
    this.#claim = claim;
    this.#dataDir = dataDir;
    this.#port = port;
    this.#buildDir = buildDir;
  }

  get #url() {
    return `http://localhost:${this.#port}`;
  }

  /** Resolves when everything is up; rejects when something cannot be. */
  start() {
    this.#started = this.#start();
    return this.#started;
  }

  /**
   * Stops in the reverse order and within fixed times: the gateway first, so that running calls still find their
   * services.
   */
  async stop() {
    const requestedAt = Date.now();
    const left = (/** @type {keyof typeof STOPPED_BY_MS} */ part) =>
      Math.max(500, STOPPED_BY_MS[part] - (Date.now() - requestedAt));
    this.#stop.abort();
    for (const group of this.#services) for (const service of group) service.giveUpStarting();
    await Promise.race([this.#started.catch(() => {}), new Promise((resolve) => setTimeout(resolve, left('start')))]);
    for (const group of [...this.#services].reverse()) {
      const part = group.length > 1 ? 'services' : group[0]?.name === 'gateway' ? 'gateway' : 'others';
      await Promise.all(group.map((service) => service.stop(left(part))));
    }
    await Promise.all(this.#servers.map((server) => server.stop(left('servers'))));
    await this.#endForgottenServers();
    rmSync(runtimeFile(this.#dataDir), { force: true });
  }

  /** Servers that a start which was given up has begun, or an earlier one left. */
  async #endForgottenServers() {
    const left = ['postgres', 'nats'].map((name) => runningDaemon(daemonFiles(this.#dataDir, name).recordFile));
    await Promise.all(left.map((one) => one && endProcess(one.record, { signal: 'SIGINT', patienceMs: 2_000 })));
  }

  /**
   * Replaces services by the current build.
   * @param {string[]} names
   */
  async replace(names) {
    if (this.#stop.signal.aborted || !this.#isUp) return;
    const services = this.#services.flat().filter(({ name }) => names.includes(name));
    await Promise.all(services.map((service) => service.replace()));
  }

  /** Ends the services without waiting for running work; `stop` does the rest. False when none runs yet. */
  hurry() {
    for (const group of this.#services) for (const service of group) service.kill();
    return this.#services.length > 0;
  }

  async #start() {
    const key = await this.#masterKey();
    const own = {
      DATA_DIR: this.#dataDir,
      PORT: String(this.#port),
      PUBLIC_URL: process.env.PUBLIC_URL || this.#url,
      LOG_LEVEL: process.env.LOG_LEVEL || 'info',
      NATS_NAMESPACE: process.env.NATS_NAMESPACE || 'tidings',
      SMTP_LISTEN_PORT: process.env.SMTP_LISTEN_PORT || '2525',
      // Heard by Node.js from 22.1: Nest and TypeORM load in 0.6 s instead of 1.0 (24.21).
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(this.#buildDir, '.compile-cache'),
    };
    const relay = this.#provideRelay(own);
    const groups = START_ORDER.map((names) => this.#load(names, own));
    const servers = this.#provideServers(key);
    // A stop waits for both: what one of them has begun must not outlive the other's failure.
    await Promise.allSettled([servers, relay]);
    const [{ postgres, nats }, mail] = await Promise.all([servers, relay]);
    await this.#checkKey(postgres.url, key);
    const found = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ...mail };
    this.#environment = { ...own, ...found };
    for (const group of groups) {
      if (group.some(({ name }) => name === 'gateway')) await this.#claim.release();
      await this.#begin(group, { ...found, MASTER_KEY: key });
    }
    this.#isUp = true;
    this.#writeRuntime();
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
    this.#tellReady([postgres.label, nats.label]);
  }

  #masterKey() {
    const { MASTER_KEY, DATABASE_URL } = process.env;
    return masterKey(this.#dataDir, {
      given: MASTER_KEY,
      hasData: () =>
        DATABASE_URL ? hasServiceData(DATABASE_URL, 'The server of DATABASE_URL') : hasCluster(this.#dataDir),
    });
  }

  /**
   * Refuses a key that is not the one of the database before any service touches roles, passwords or tables.
   * @param {string} ownerUrl @param {string} masterKey
   */
  async #checkKey(ownerUrl, masterKey) {
    const { DATABASE_ROLE_PREFIX: rolePrefix } = process.env;
    const compiled = path.join(this.#buildDir, 'libs/database/src/master-key-check.js');
    const { checkMasterKey } = await import(pathToFileURL(compiled).href);
    await checkMasterKey({ ownerUrl, masterKey, ...(rolePrefix && { rolePrefix }) }).catch(
      (/** @type {Error & { wrongSettings?: boolean }} */ error) => {
        throw error.wrongSettings ? new LaunchError(error.message) : error;
      },
    );
  }

  /** @param {string} key */
  async #provideServers(key) {
    const { DATABASE_URL, NATS_URL, TIDINGS_POSTGRES, TIDINGS_NATS } = process.env;
    const dataDir = this.#dataDir;
    const { signal } = this.#stop;
    const kept = (/** @type {string} */ name) => (/** @type {import('./postgres.mjs').Server} */ server) => {
      this.#servers.push(new ServerKeeper(name, server));
      return server;
    };
    const provided = await Promise.allSettled([
      providePostgres({ dataDir, key, forced: TIDINGS_POSTGRES, given: DATABASE_URL, signal }).then(kept('PostgreSQL')),
      provideNats({ dataDir, key, forced: TIDINGS_NATS, given: NATS_URL }).then(kept('NATS')),
    ]);
    const [postgres, nats] = provided.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    if (!postgres || !nats) throw new Error('unreachable');
    return { postgres, nats };
  }

  /**
   * The operator's relay, else the catcher. Its ports are chosen here, because a catcher that is started again must be
   * found at the same address.
   * @param {Record<string, string>} environment
   * @returns {Promise<Record<string, string>>}
   */
  async #provideRelay(environment) {
    const { SMTP_URL, CATCHER_SMTP_PORT, CATCHER_HTTP_PORT } = process.env;
    if (SMTP_URL) return { SMTP_URL };
    const catcher = this.#load(['catcher'], environment);
    await this.#begin(catcher, {
      CATCHER_SMTP_PORT: CATCHER_SMTP_PORT || String(await freePort(CATCHER_PORTS.smtp)),
      CATCHER_HTTP_PORT: CATCHER_HTTP_PORT || String(await freePort(CATCHER_PORTS.http)),
    });
    const { smtpUrl, mailboxUrl } = this.#facts.catcher ?? {};
    return { SMTP_URL: String(smtpUrl), CATCHER_URL: String(mailboxUrl) };
  }

  /** @param {string[]} names @param {Record<string, string>} environment */
  #load(names, environment) {
    if (this.#stop.signal.aborted) throw new LaunchError('Stopped while starting.');
    const group = names.map(
      (name) =>
        new ServiceProcess({
          name,
          main: path.join(this.#buildDir, 'apps', name, 'src/main.js'),
          environment: childEnvironment({ ...environment, ...healthPort(name) }),
          onReady: (facts, pid) => {
            this.#facts[name] = { ...facts, pid };
            if (!this.#isUp || this.#stop.signal.aborted) return;
            this.#writeRuntime();
            // A service that starts again makes a new link, and the earlier one ends.
            if (facts.setupToken) this.#tellSetup(String(facts.setupToken));
          },
        }),
    );
    this.#services.push(group);
    return group;
  }

  /** @param {ServiceProcess[]} group @param {Record<string, string>} environment */
  async #begin(group, environment) {
    if (this.#stop.signal.aborted) throw new LaunchError('Stopped while starting.');
    const names = group.map(({ name }) => name).join(', ');
    await progress(`starting ${names}`, () => Promise.all(group.map((service) => service.begin(environment))));
  }

  #writeRuntime() {
    const { apiToken: _secret, setupToken: _link, ...domain } = this.#facts.domain ?? {};
    /** @type {import('./system-lock.mjs').Runtime} */
    const runtime = {
      ...ownRecord(),
      port: this.#port,
      url: this.#url,
      buildDir: this.#buildDir,
      environment: this.#environment,
      services: { ...this.#facts, domain },
    };
    writeJson(runtimeFile(this.#dataDir), runtime);
  }

  /** @param {string[]} labels */
  #tellReady(labels) {
    startIsOver();
    const { apiToken, setupToken } = this.#facts.domain ?? {};
    const { CATCHER_URL, SMTP_URL, PUBLIC_URL } = this.#environment;
    say();
    for (const label of labels) say(`  ${label}`);
    if (CATCHER_URL) {
      const mailbox = `${PUBLIC_URL?.replace(/\/+$/, '')}/mailbox`;
      say(`  mail is caught here, see ${mailbox}`, { mailbox });
    } else say(`  mail is handed to ${new URL(SMTP_URL ?? '').host}`);
    if (apiToken) this.#tellToken(String(apiToken));
    if (setupToken) this.#tellSetup(String(setupToken));
    say();
    say(`Tidings is ready at ${this.#url}`, { url: this.#url });
  }

  /** The link that makes the first user; for as long as there is none, each start prints a new one. @param {string} token */
  #tellSetup(token) {
    if (process.env.DASHBOARD === 'false') return;
    const link = `${this.#environment.PUBLIC_URL?.replace(/\/+$/, '')}/setup#${token}`;
    say();
    say(`Open this link within an hour to make your account: ${link}`, { setupLink: link });
  }

  /** The only place that ever shows it. @param {string} token */
  #tellToken(token) {
    say();
    say('Your API token, shown this once (`npm run tidings -- tokens create` makes others):', { token });
    if (logFormat() === 'json') return;
    say();
    say(`  ${token}`);
    say();
    say('A first call, with the token in the variable TOKEN:');
    say();
    say(
      `  curl -X POST ${this.#url}/api/v2/tools/list_tags -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{}'`,
    );
  }
}
