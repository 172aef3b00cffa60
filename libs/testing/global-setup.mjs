import { provideTestServers } from '../../scripts/launch/shared-servers.mjs';

/** Leaves the servers of this run; whoever leaves last stops them. */
export let leave = async () => {};

/** One PostgreSQL and one NATS for the whole Jest run; under `npm test` they run already, and the environment says so. */
export default async function setUp() {
  const { DATABASE_URL, NATS_URL, MASTER_KEY } = process.env;
  if (DATABASE_URL && NATS_URL && MASTER_KEY) return;
  const servers = await provideTestServers();
  process.env.DATABASE_URL ??= servers.databaseUrl;
  process.env.NATS_URL ??= servers.natsUrl;
  process.env.MASTER_KEY ??= servers.masterKey;
  leave = servers.stop;
}
