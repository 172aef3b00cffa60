import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** Where the bundles lie in a build; all in one folder, so that `originalPlace` is right for each. */
const FOLDER = 'bundles';

/** Begins the names of files that hold packages. */
const PACKAGES = 'packages';

/** Packages that read files of their own, or choose a compiled library for the platform. */
const OUTSIDE = /^(@node-rs\/argon2|email-providers|sharp)$/;

/** Modules that threads run. */
const THREADS = [
  'apps/delivery/src/send/render/render-thread.worker',
  'apps/subscriber/src/import-job/batch-preparation.worker',
  'libs/content/src/compiler/content.worker',
];

/**
 * Joins the modules of the services and their packages into few files, and lets each main.js load those: Node.js takes
 * twice the processor time to find and read two thousand files one by one. CommonJS, since a file of a package
 * would be read twice otherwise: once for the names of its exports.
 * @param {string} build a compiled project
 */
async function bundleServices(build) {
  const services = readdirSync(path.join(build, 'apps')).filter((app) =>
    existsSync(path.join(build, 'apps', app, 'src/boot.js')),
  );
  if (services.length === 0) return;
  const entries = Object.fromEntries(services.map((name) => [name, path.join(build, 'apps', name, 'src/boot.js')]));
  const bundle = await rolldown({
    cwd: build,
    input: { ...entries, process: path.join(build, 'libs/process/src/index.js') },
    platform: 'node',
    tsconfig: false,
    external: OUTSIDE,
    plugins: [originalPlace(build)],
    // Packages try to load optional ones that are not there; of our own imports the compiler has found all.
    onLog: (level, log, report) => log.code === 'UNRESOLVED_IMPORT' || report(level, log),
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name }) => `${ofPackages(name) ? PACKAGES : name}-[hash].cjs`,
    codeSplitting: { groups: [{ name: PACKAGES, test: /[\\/]node_modules[\\/]/, entriesAware: true }] },
    // Nest and error messages read the names of classes.
    keepNames: true,
    sourcemap: true,
  });
  await bundle.close();
  mkdirSync(path.join(build, FOLDER), { recursive: true });
  for (const file of output) {
    const text = file.type === 'chunk' ? file.code : file.source;
    // Node.js reads the maps of all files it loads, when asked for places in sources: those of packages are large.
    if (!ofPackages(file.fileName)) writeFileSync(path.join(build, FOLDER, file.fileName), text);
    else if (file.type === 'chunk') writeFileSync(path.join(build, FOLDER, file.fileName), withoutMap(file.code));
  }
  for (const name of services) writeFileSync(path.join(build, 'apps', name, 'src/main.js'), mainOf(name));
}

/**
 * Joins a module with all it uses, packages included, and without what it does not use: a thread starts with a fifth of
 * the processor time. The compiled module is replaced, so that the sources are read: it may be that of an earlier bundle.
 * @param {string} module without an ending
 */
async function bundleThread(module) {
  const source = path.join(root, `${module}.ts`);
  if (!existsSync(source)) return;
  const bundle = await rolldown({
    cwd: root,
    input: source,
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, conditionNames: ['tidings-source', 'node', 'import'] },
    treeshake: { moduleSideEffects: false },
  });
  await bundle.write({
    file: path.join(build, `${module}.js`),
    keepNames: true,
    sourcemap: true,
    codeSplitting: false,
  });
  await bundle.close();
}

/** @param {string} name of a file or a chunk */
const ofPackages = (name) => name.startsWith(PACKAGES);

/** @param {string} code */
const withoutMap = (code) => code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');

/** What apps/NAME/src/main.ts says, of the bundle. @param {string} name of the service */
function mainOf(name) {
  return [
    `import { createRequire } from 'node:module';`,
    `const require = createRequire(import.meta.url);`,
    `const { runProcess } = require('../../../${FOLDER}/process.cjs');`,
    `await runProcess(async () => require('../../../${FOLDER}/${name}.cjs'));\n`,
  ].join('\n');
}

/**
 * Lets modules find the files beside them: their own address stays what it was before they were joined. Stack traces name
 * the sources.
 * @param {string} build
 * @returns {import('rolldown').Plugin}
 */
function originalPlace(build) {
  return {
    name: 'original-place',
    load(id) {
      if (!id.startsWith(build) || !id.endsWith('.js')) return null;
      const place = path.relative(build, id).replaceAll(path.sep, '/');
      const ownUrl = `new URL('../${place}', import.meta.url).href`;
      const code = readFileSync(id, 'utf8').replaceAll('import.meta.url', ownUrl);
      return { code, map: readFileSync(`${id}.map`, 'utf8') };
    },
  };
}

const [root = '', build = ''] = process.argv.slice(2);
if (build === '') throw new Error('Name the checkout, and the folder of the build.');
// The bundler names files by their real paths.
await bundleServices(realpathSync(build));
for (const thread of THREADS) await bundleThread(thread);
