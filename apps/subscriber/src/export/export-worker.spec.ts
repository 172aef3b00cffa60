import { afterEach, expect, it, jest } from '@jest/globals';
import { ExportWorker } from './export.worker.js';

afterEach(() => void jest.useRealTimers());

it('looks for exports once a second, however often this process commits', async () => {
  jest.useFakeTimers();
  let [claims, commit] = [0, () => undefined as void];
  const query = () => Promise.resolve([(claims++, [])]);
  const contexts = { onCommit: (hear: () => void) => (commit = hear) };
  const worker = new ExportWorker({ dataSource: { manager: { query } }, contexts } as never);
  worker.start();
  for (let n = 0; n < 90; n++) {
    await jest.advanceTimersByTimeAsync(10);
    commit();
  }
  expect(claims).toBe(1);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(claims).toBe(2);
  await worker.stop();
});
