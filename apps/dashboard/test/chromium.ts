import { chromiumNames, findChromium } from '../../../scripts/find-chromium.mjs';

/**
 * Whether tests in a browser can run. Without one they are skipped with a warning; where TIDINGS_REQUIRE_CHROMIUM is set, as in
 * `.ci/run`, that is a failure.
 */
export function hasChromium(): boolean {
  if (findChromium() !== null) return true;
  const text = `Tests in a browser were NOT run: none of ${chromiumNames.join(', ')} is on the PATH. Install one, or name it in CHROMIUM.`;
  if (process.env.TIDINGS_REQUIRE_CHROMIUM) throw new Error(text);
  process.stderr.write(`\nWARNING: ${text}\n`);
  return false;
}
