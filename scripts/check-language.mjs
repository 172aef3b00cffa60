#!/usr/bin/env node
/**
 * Checks words, names, file suffixes, summaries, refusals and sentence lengths: `npm run check:language`.
 *
 *   check-language.mjs [folder …]             fails if an area has more violations than language-budget.json allows
 *   check-language.mjs --all [folder …]       prints every violation, also those within the budget, and warnings
 *   check-language.mjs --update [folder …]    lowers the budget to the present counts (creates a missing file)
 *   check-language.mjs --measure              prints sentences, their lengths and words as a table
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countByArea, lowered, overBudget } from './check/budget.mjs';
import { checkLanguage, measureTable } from './check/language.mjs';

/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);
const flag = /** @type {const} */ ({ type: 'boolean', default: false });
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { all: flag, update: flag, measure: flag, root: { type: 'string', default: `${import.meta.dirname}/..` } },
});
const root = resolve(values.root);
const budgetFile = `${root}/scripts/language-budget.json`;

const { violations, measured } = checkLanguage(root, folders);
const errors = violations.filter(({ isWarning }) => !isWarning);
const counts = countByArea(errors);
const budget = existsSync(budgetFile) ? JSON.parse(readFileSync(budgetFile, 'utf8')) : values.update ? counts : {};
const over = overBudget(counts, budget);
const isOver = (/** @type {import('./check/language.mjs').Violation} */ one) =>
  !one.isWarning && over.some(({ rule, area }) => rule === one.rule && area === one.area);

if (values.measure) {
  print(measureTable(measured));
  for (const [rule, areas] of Object.entries(counts))
    print(`\n${rule}: ${Object.values(areas).reduce((sum, count) => sum + count, 0)}`);
} else {
  violations.filter((one) => values.all || isOver(one)).forEach(show);
  for (const { rule, area, count, allowed } of over) print(`${area}: ${count} × ${rule}, at most ${allowed} allowed`);
  print(`language: ${errors.length} violations, ${violations.length - errors.length} warnings`);
  process.exitCode = over.length > 0 ? 1 : 0;
}
if (values.update) {
  // An area is judged as a whole: part of it says nothing about the rest.
  const isChecked = (/** @type {string} */ area) => folders.length === 0 || folders.includes(area);
  writeFileSync(budgetFile, `${JSON.stringify(lowered(counts, budget, isChecked), null, 2)}\n`);
}

/** @param {import('./check/language.mjs').Violation} violation */
function show({ rule, file, line, message, isWarning }) {
  print(`${file}:${line} ${isWarning ? 'warning ' : ''}${rule}: ${message}`);
}
