#!/usr/bin/env node
import { LaunchError, say, sayFailure } from './launch/terminal.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  say(`Tidings needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** @type {Record<string, (args: string[]) => Promise<number | void>>} each loads what it needs */
const COMMANDS = {
  start: async (args) =>
    (await import('./launch/start.mjs')).start({ buildDir: args.find((arg) => arg.startsWith('--build='))?.slice(8) }),
  dev: async () => (await import('./launch/start.mjs')).start({ watch: true }),
  install: async () =>
    (await import('./launch/install.mjs')).installDependencies((await import('./launch/paths.mjs')).ROOT, {
      tests: true,
    }),
  build: async () => say(await (await import('./launch/run-script.mjs')).prepareBuild()),
  test: async (args) => (await import('./launch/test.mjs')).test(args),
  tidings: async (args) => (await import('./launch/run-script.mjs')).runOperatorCommand(args),
  demo: async (args) => (await import('./launch/run-script.mjs')).runDemo(args),
  bench: async (args) => (await import('./launch/run-script.mjs')).runBenches(args),
  run: async ([file = '', ...args]) => (await import('./launch/run-script.mjs')).runCompiled(file, args),
};

const [command = '', ...args] = process.argv.slice(2);
try {
  const run = COMMANDS[command];
  if (!run) throw new LaunchError(`Usage: node scripts/launch.mjs ${Object.keys(COMMANDS).join('|')} [arguments]`);
  process.exit((await run(args)) ?? 0);
} catch (error) {
  sayFailure(error);
  process.exit(1);
}
