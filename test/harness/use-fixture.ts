import { afterAll, beforeAll } from '@jest/globals';

/** What a test uses: a record, or a fixture that is ended after the tests. */
interface Fixture {
  stop?(): Promise<unknown>;
  close?(): Promise<unknown>;
}

/**
 * Makes a fixture before the tests of the surrounding block, and calls its `stop` or `close` after them.
 * @returns an object that forwards to the fixture, for use within tests and hooks
 */
export function useFixture<T extends object>(make: () => Promise<T>): T {
  let made: (T & Fixture) | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => await (made?.stop?.() ?? made?.close?.()));
  const fixture = (): T => {
    if (!made) throw new Error('a fixture is there within tests and hooks only');
    return made;
  };
  return new Proxy({} as T, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(fixture(), name, fixture());
      // Methods may use private fields, which a proxy does not have.
      return typeof value === 'function' && !Object.hasOwn(fixture(), name)
        ? (value.bind(fixture()) as unknown)
        : value;
    },
    set: (_target, name, value) => Reflect.set(fixture(), name, value),
    has: (_target, name) => Reflect.has(fixture(), name),
    ownKeys: () => Reflect.ownKeys(fixture()),
    getOwnPropertyDescriptor: (_target, name) => {
      const found = Reflect.getOwnPropertyDescriptor(fixture(), name);
      return found && { ...found, configurable: true };
    },
  });
}
