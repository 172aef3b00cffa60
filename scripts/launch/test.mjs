import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { readJson } from './process-record.mjs';
import { prepareBuild, runNode, withServers } from './run-script.mjs';
import { provideTestServers } from './shared-servers.mjs';
import { say } from './terminal.mjs';

/** Files whose failure is looked at again: more of them are no coincidence. */
const repeatedFilesMax = 3;
const slowestFilesShown = 20;

/**
 * @typedef {object} Results what Jest writes with `--json`
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numRuntimeErrorTestSuites suites that could not even run
 * @property {SuiteResult[]} testResults
 */

/**
 * @typedef {object} SuiteResult
 * @property {string} name path
 * @property {string} status
 * @property {number} startTime Unix time in milliseconds
 * @property {number} endTime
 * @property {{ status: string, fullName: string, duration?: number | null }[]} assertionResults
 */

/**
 * Runs the tests on servers of their own. The last line counts them; a suite that could not even run counts as a
 * failure, and so does a run without any test.
 * @param {string[]} args for Jest; none for everything
 * @returns {Promise<number>} exit status
 */
export async function test(args) {
  const buildDir = await prepareBuild({ tests: true });
  return await withServers(
    await provideTestServers({ isWhole: args.length === 0 }),
    async (environment) => {
      const first = await runJest(args, environment);
      const failedFiles = first.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
      const isRepeated = args.length === 0 && failedFiles.length > 0 && failedFiles.length <= repeatedFilesMax;
      if (args.length === 0) reportSlowest(first.testResults);
      const recovered = isRepeated ? await runAgain(failedFiles, first, environment) : 0;
      const failed = first.numFailedTests + first.numRuntimeErrorTestSuites - recovered;
      const passed = first.numPassedTests + recovered;
      say(`${passed} passed, ${failed} failed`);
      if (failed === 0 && passed > 0 && (recovered > 0 || first.exitStatus === 0)) return 0;
      return first.exitStatus || 1;
    },
    buildDir,
  );
}

/** Names what takes the most time of the run: each file with its slowest test. @param {SuiteResult[]} suites */
function reportSlowest(suites) {
  /** @param {number | null | undefined} ms */
  const seconds = (ms) => `${((ms ?? 0) / 1000).toFixed(0)} s`;
  const took = suites.map((suite) => ({ suite, ms: suite.endTime - suite.startTime })).sort((a, b) => b.ms - a.ms);
  say(`· ${seconds(took.reduce((sum, { ms }) => sum + ms, 0))} in ${suites.length} files, the slowest of which are:`);
  for (const { suite, ms } of took.slice(0, slowestFilesShown)) {
    const [slowest] = [...suite.assertionResults].sort((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
    const test = slowest ? ` (${seconds(slowest.duration)}: ${slowest.fullName})` : '';
    say(`·   ${seconds(ms)} ${path.relative(ROOT, suite.name)}${test}`);
  }
}

/**
 * Runs files that failed once more, each alone, and names what passes then: a test that depends on the load of the machine
 * has to be mended, and must not be overlooked.
 * @param {string[]} files
 * @param {Results} first
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} how many failures of the first run were none in the second
 */
async function runAgain(files, first, environment) {
  let recovered = 0;
  for (const file of files) {
    const place = path.relative(ROOT, file);
    say(`· again, alone: ${place}`);
    // Jest knows a group by its name alone.
    const name = place.startsWith('test/groups/') ? path.basename(place, '.ts') : place;
    const second = await runJest([name], environment);
    if (second.exitStatus !== 0) continue;
    const results = first.testResults.find((one) => one.name === file)?.assertionResults ?? [];
    const failures = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    for (const test of failures) say(`UNSTABLE: failed beside the others and passed alone: ${test} (${place})`);
    recovered += Math.max(1, failures.length);
  }
  return recovered;
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<Results & { exitStatus: number }>}
 */
async function runJest(args, environment) {
  const resultFile = path.join(tmpdir(), `tidings-test-${process.pid}.json`);
  try {
    const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
    const options = ['--experimental-vm-modules', jest, '--json', `--outputFile=${resultFile}`];
    const exitStatus = await runNode([...options, ...args], environment);
    const none = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] };
    return { ...none, .../** @type {Results | undefined} */ (readJson(resultFile)), exitStatus };
  } finally {
    rmSync(resultFile, { force: true });
  }
}
