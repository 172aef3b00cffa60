#!/usr/bin/env node
/** Checks that links, anchors and paths in all Markdown files lead somewhere: `npm run check:docs`. */
import { resolve } from 'node:path';
import { checkDocs } from './check/docs.mjs';

const problems = checkDocs(resolve(process.argv[2] ?? `${import.meta.dirname}/..`));
for (const { file, line, message } of problems) process.stdout.write(`${file}:${line} ${message}\n`);
process.stdout.write(`docs: ${problems.length} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
