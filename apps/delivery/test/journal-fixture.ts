import { renameSync } from 'node:fs';
import { createServer } from 'node:net';

/** Puts a socket in the place of another one that no process listens at, as a dead process leaves it. */
export async function killSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${path}.new`, resolve));
  renameSync(`${path}.new`, path);
  await new Promise((resolve) => server.close(resolve));
}
