import { readFileSync, writeFileSync } from 'node:fs';

/** Specs that are loaded together when everything runs; a named file runs alone. */
/** @type {Record<string, { parts: number, specs: string }>} */
const groups = JSON.parse(readFileSync('test/groups/groups.json', 'utf8'));
const named = process.argv.slice(2).some((argument) => /^[^-].*[/.]/.test(argument));
const parts = Object.entries(groups).flatMap(([name, { parts }]) =>
  Array.from({ length: parts }, (_, n) => ({ name, part: n + 1, file: `test/groups/${name}-${n + 1}.ts` })),
);
for (const { name, part, file } of parts)
  writeFileSync(file, `import { loadGroup } from './load-group.js';\n\nawait loadGroup('${name}', ${part});\n`);
const groupFiles = parts.map(({ file }) => file);
const grouped = Object.values(groups).map(({ specs }) => `<rootDir>/${specs}`);

/** @param {{ decorators?: boolean, tsx?: boolean }} syntax */
const swc = ({ decorators = false, tsx = false }) => ({
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators, tsx },
    transform: {
      ...(decorators && { legacyDecorator: true, decoratorMetadata: true }),
      ...(tsx && { react: { runtime: 'automatic' } }),
    },
    keepClassNames: true,
  },
  module: { type: 'es6' },
});

/** One Jest run for everything: rules, tools and end to end, on one PostgreSQL and one NATS. */
export default {
  rootDir: '.',
  testMatch: [
    '<rootDir>/{apps,libs,bench,scripts,test}/**/*.spec.{ts,tsx}',
    ...(named ? [] : groupFiles.map((file) => `<rootDir>/${file}`)),
  ],
  // These need a container engine: npm run test:containers.
  testPathIgnorePatterns: ['<rootDir>/test/containers/', ...(named ? [] : grouped)],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.build', '<rootDir>/.data', '<rootDir>/node_modules'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: {
    // As services import it; its own spec has the real one.
    '^\\.\\./dkim-key/make-key-pair\\.js$': '<rootDir>/test/harness/shared-key-pairs.ts',
    '^#(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc({ decorators: true })],
    '^.+\\.tsx$': ['@swc/jest', swc({ tsx: true })],
  },
  testSequencer: '<rootDir>/test/groups/sequencer.cjs',
  globalSetup: '<rootDir>/libs/testing/global-setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/global-teardown.mjs',
  workerIdleMemoryLimit: '1GB',
  testTimeout: 90_000,
  // Many tests wait for a clock or a relay: more than processors, so that these are busy.
  maxWorkers: 4,
};
