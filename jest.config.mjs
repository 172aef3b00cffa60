/** One Jest run for everything: rules, tools and end to end, on one PostgreSQL and one NATS. */
export default {
  rootDir: '.',
  testMatch: ['<rootDir>/{apps,libs,bench,scripts,test}/**/*.spec.ts'],
  // These need a container engine: npm run test:containers.
  testPathIgnorePatterns: ['<rootDir>/test/containers/'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.build', '<rootDir>/.data', '<rootDir>/node_modules'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^#(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/libs/testing/global-setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/global-teardown.mjs',
  workerIdleMemoryLimit: '1GB',
  testTimeout: 90_000,
  maxWorkers: 2,
};
