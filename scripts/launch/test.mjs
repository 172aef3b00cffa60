import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { readJson } from './process-record.mjs';
import { prepareBuild, runNode, withServers } from './run-script.mjs';
import { provideTestServers } from './shared-servers.mjs';
import { say } from './terminal.mjs';

/**
 * Runs the tests on servers of their own. The last line counts them; a suite that could not even run counts as a
 * failure, and so does a run without any test.
 * @param {string[]} args for Jest
 * @returns {Promise<number>} exit status
 */
export async function test(args) {
  const buildDir = await prepareBuild({ tests: true });
  const resultFile = path.join(tmpdir(), `tidings-test-${process.pid}.json`);
  try {
    const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
    const status = await withServers(
      await provideTestServers(),
      (environment) =>
        runNode(['--experimental-vm-modules', jest, '--json', `--outputFile=${resultFile}`, ...args], environment),
      buildDir,
    );
    const {
      numPassedTests: passed = 0,
      numFailedTests = 0,
      numRuntimeErrorTestSuites = 0,
    } = /** @type {Record<string, number> | undefined} */ (readJson(resultFile)) ?? {};
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    say(`${passed} passed, ${failed} failed`);
    return status === 0 && failed === 0 && passed > 0 ? 0 : status || 1;
  } finally {
    rmSync(resultFile, { force: true });
  }
}
