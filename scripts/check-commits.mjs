#!/usr/bin/env node
/**
 * Checks commit subjects: `npm run check:commits` takes the commits after the one that added this file; with
 * `--message FILE` (scripts/hooks/commit-msg) the message of one commit.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkSubject, commitsSince } from './check/commits.mjs';

const [option, file = ''] = process.argv.slice(2);
/** @type {{ hash: string, subject: string }[] | string} */
const commits =
  option === '--message'
    ? [{ hash: 'commit message', subject: readFileSync(file, 'utf8').split('\n')[0] ?? '' }]
    : commitsSince(resolve(import.meta.dirname, '..'), 'scripts/check-commits.mjs');

if (typeof commits === 'string') process.stdout.write(`commits: not checked, since ${commits}\n`);
else {
  const problems = commits.flatMap(({ hash, subject }) =>
    checkSubject(subject).map((problem) => `${hash} "${subject}": ${problem}\n`),
  );
  process.stdout.write(`${problems.join('')}commits: ${commits.length} checked, ${problems.length} problems\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
