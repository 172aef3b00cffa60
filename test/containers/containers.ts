import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { GenericContainer, Wait } from 'testcontainers';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';

/** The image that docker-compose.yml builds. */
export const image = 'tidings:local';

export const databasePassword = 'only-for-this-run';

/** A PostgreSQL made as docker-compose.yml makes it, called `postgres` in the network. */
export const startPostgres = (network: StartedNetwork): Promise<StartedTestContainer> =>
  new GenericContainer('postgres:17')
    .withNetwork(network)
    .withNetworkAliases('postgres')
    .withEnvironment({
      POSTGRES_USER: 'tidings',
      POSTGRES_PASSWORD: databasePassword,
      POSTGRES_DB: 'tidings',
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --lc-collate=C --lc-ctype=C.UTF-8',
    })
    .withHealthCheck({
      test: ['CMD', 'pg_isready', '--host=127.0.0.1', '--username=tidings'],
      interval: 1_000,
      timeout: 5_000,
      retries: 60,
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .start();

/** A NATS with JetStream, called `nats` in the network. */
export const startNats = (network: StartedNetwork): Promise<StartedTestContainer> =>
  new GenericContainer('nats:2.10-alpine')
    .withNetwork(network)
    .withNetworkAliases('nats')
    .withCopyContentToContainer([
      { content: 'port: 4222\nmax_payload: 8MB\njetstream { store_dir: "/data" }\n', target: '/etc/nats/tidings.conf' },
    ])
    .withCommand(['nats-server', '--config', '/etc/nats/tidings.conf'])
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .start();

/** A process of the built image, not started yet; it counts as started when the image's own health check says so. */
export const processContainer = (network: StartedNetwork, name: string): GenericContainer =>
  new GenericContainer(image)
    .withCommand(['node', `apps/${name}/src/main.js`])
    .withNetwork(network)
    .withNetworkAliases(name)
    .withDroppedCapabilities('ALL')
    .withLogConsumer((stream) =>
      stream.on('data', (line: Buffer | string) => {
        if (/"level":"(error|fatal)"/.test(String(line))) process.stderr.write(`[${name}] ${String(line)}`);
      }),
    )
    .withWaitStrategy(Wait.forHealthCheck())
    .withStartupTimeout(120_000);

/** Returns a free port of this machine, for addresses that must be fixed before the container starts. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};
