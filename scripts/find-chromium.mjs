import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The shell without a window needs a fifth less processor time for the same pages. */
export const chromiumNames = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The system's Chromium: CHROMIUM, or one of the usual names on the PATH. @returns null without one */
export function findChromium() {
  const { CHROMIUM, PATH = '' } = process.env;
  const candidates = CHROMIUM
    ? [CHROMIUM]
    : PATH.split(path.delimiter).flatMap((folder) => chromiumNames.map((name) => path.join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

/** @throws Error that says what is missing */
export function demandChromium() {
  const found = findChromium();
  if (found) return found;
  throw new Error(`None of ${chromiumNames.join(', ')} is on the PATH: install Chromium, or name one in CHROMIUM.`);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
