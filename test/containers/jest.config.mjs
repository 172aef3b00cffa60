import whole from '../../jest.config.mjs';

/** What needs a container engine: `npm run test:containers`. The specs run one after the other. */
const { globalTeardown: _servers, ...common } = whole;
export default {
  ...common,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/containers/**/*.spec.ts'],
  testPathIgnorePatterns: [],
  globalSetup: '<rootDir>/test/containers/global-setup.mjs',
  maxWorkers: 1,
  testTimeout: 180_000,
};
