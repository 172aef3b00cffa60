import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** Where the bundles lie in a build; all in one folder, so that `originalPlace` is right for each. */
const FOLDER = 'bundles';

const [build] = process.argv.slice(2);
if (!build) throw new Error('Name the folder of the build.');
// The bundler names files by their real paths.
await bundleServices(realpathSync(build));

/**
 * Joins the modules of each service into few files and lets its main.js load those: Node.js takes 0.3 s of processor
 * longer to find and read the hundreds of files one by one. Packages stay where they are.
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
    external: (id) => !/^[#./]/.test(id),
    plugins: [originalPlace(build)],
  });
  await bundle.write({
    dir: path.join(build, FOLDER),
    entryFileNames: '[name].js',
    // Nest and error messages read the names of classes.
    keepNames: true,
    sourcemap: true,
  });
  await bundle.close();
  for (const name of services) writeFileSync(path.join(build, 'apps', name, 'src/main.js'), mainOf(name));
}

/** What apps/NAME/src/main.ts says, of the bundle. @param {string} name of the service */
function mainOf(name) {
  return [
    `import { runProcess } from '../../../${FOLDER}/process.js';`,
    `await runProcess(() => import('../../../${FOLDER}/${name}.js'));\n`,
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
      if (!id.endsWith('.js')) return null;
      const place = path.relative(build, id).replaceAll(path.sep, '/');
      const ownUrl = `new URL('../${place}', import.meta.url).href`;
      const code = readFileSync(id, 'utf8').replaceAll('import.meta.url', ownUrl);
      return { code, map: readFileSync(`${id}.map`, 'utf8') };
    },
  };
}
