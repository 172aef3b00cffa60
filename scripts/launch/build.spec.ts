import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from './build.mjs';
import { ROOT } from './paths.mjs';

let root: string;

function write(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

const builds = () => readdirSync(path.join(root, '.build')).filter((name) => name !== 'users');

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tidings spec-'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    write(file, readFileSync(path.join(ROOT, file), 'utf8'));
  }
  write('package-lock.json', '{}');
  write('libs/greeting/src/index.ts', `export const greet = (name: string): string => 'Hello ' + name;`);
  write('libs/greeting/src/greeting.spec.ts', `export const wrong: number = 'not compiled';`);
  write('apps/door/src/main.ts', `import { greet } from '#greeting';\nprocess.stdout.write(greet('Ann'));`);
  write('apps/door/assets/door.html', '<p>door</p>');
  write('apps/door/schema.sql', 'select 1');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a build', () => {
  it('runs where it lies, finds the libs under their names, and has the files the code reads', async () => {
    const folder = await build(root);
    const ran = spawnSync(process.execPath, [path.join(folder, 'apps/door/src/main.js')], { encoding: 'utf8' });
    expect(ran).toMatchObject({ stdout: 'Hello Ann', status: 0 });
    expect(readFileSync(path.join(folder, 'apps/door/assets/door.html'), 'utf8')).toBe('<p>door</p>');
    expect(existsSync(path.join(folder, 'apps/door/schema.sql'))).toBe(true);
    expect(existsSync(path.join(folder, 'libs/greeting/src/greeting.spec.js'))).toBe(false);
  });

  it('is rebuilt for changed sources only; a changed test is none', async () => {
    const first = await build(root);
    write('libs/greeting/src/greeting.spec.ts', '');
    expect(await build(root)).toBe(first);
    write('apps/door/schema.sql', 'select 2');
    const second = await build(root);
    expect(second).not.toBe(first);
    expect(existsSync(first)).toBe(true);
  });

  it('has the dashboard with compressed files, which is built again for its own changes only', async () => {
    write('apps/dashboard/index.html', '<script type="module" src="/src/main.tsx"></script>');
    write('apps/dashboard/src/main.tsx', `document.title = 'Hello';`);
    const assets = (folder: string) => readdirSync(path.join(folder, 'apps/dashboard/public/assets'));
    const first = assets(await build(root));
    expect(first.map((name) => name.replace(/^index-[\w-]+/, 'index')).sort()).toEqual([
      'index.js',
      'index.js.br',
      'index.js.gz',
    ]);
    const made = () => builds().filter((name) => name.startsWith('dashboard-'));
    write('apps/door/schema.sql', 'select 2');
    expect(assets(await build(root))).toEqual(first);
    expect(made()).toHaveLength(1);
    write('apps/dashboard/src/main.tsx', `document.title = 'Good day';`);
    expect(assets(await build(root))).not.toEqual(first);
    expect(made()).toHaveLength(2);
  });

  it('appears whole although several launchers make it at once', async () => {
    const script = `import { build } from ${JSON.stringify(new URL('build.mjs', import.meta.url).href)};
      import { readdirSync } from 'node:fs';
      const folder = await build(process.argv[1]);
      console.log(folder, readdirSync(folder).sort().join());`;
    const answers = await Promise.all(
      [1, 2].map(() => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script, root]);
        let said = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
        return new Promise<string>((resolve) =>
          child.once('close', () => resolve(said.trim().split('\n').at(-1) ?? '')),
        );
      }),
    );
    expect(builds()).toHaveLength(1);
    const folder = path.join(root, '.build', builds()[0] ?? '');
    expect(answers).toEqual(Array(2).fill(`${folder} .tsbuildinfo,apps,libs,package.json`));
  });

  it('compiles only what changed since the newest build, and holds nothing of sources that are gone', async () => {
    write('apps/door/src/bell.ts', `export const bell = 'ding';`);
    await build(root);
    rmSync(path.join(root, 'apps/door/src/bell.ts'));
    write('libs/greeting/src/index.ts', `export const greet = (name: string): string => 'Good day ' + name;`);
    const folder = await build(root);
    expect(existsSync(path.join(folder, 'apps/door/src/bell.js'))).toBe(false);
    const ran = spawnSync(process.execPath, [path.join(folder, 'apps/door/src/main.js')], { encoding: 'utf8' });
    expect(ran.stdout).toBe('Good day Ann');
  });

  it('starts a service from the bundle of its modules, which find the files beside them and keep their names', async () => {
    const process = 'export const runProcess = async (load: () => Promise<{ run: () => string }>) =>';
    write('libs/process/src/index.ts', `${process}\n  console.log((await load()).run());`);
    write('apps/bell/src/assets/sound.txt', 'ding');
    write(
      'apps/bell/src/bell.ts',
      `export class Bell {}\nexport const file = new URL('assets/sound.txt', import.meta.url);`,
    );
    const boot = `import { readFileSync } from 'node:fs';\nimport { greet } from '#greeting';\nimport { Bell, file } from './bell.js';`;
    write(
      'apps/bell/src/boot.ts',
      `${boot}\nexport const run = () => greet(Bell.name + ': ' + readFileSync(file, 'utf8'));`,
    );
    write(
      'apps/bell/src/main.ts',
      `import { runProcess } from '#process';\n\nawait runProcess(() => import('./boot.js'));`,
    );
    const ran = async () => {
      const folder = await build(root);
      rmSync(path.join(folder, 'apps/bell/src/boot.js'));
      return spawnSync('node', [path.join(folder, 'apps/bell/src/main.js')], { encoding: 'utf8' }).stdout;
    };
    expect(await ran()).toBe('Hello Bell: ding\n');
    write('libs/greeting/src/index.ts', `export const greet = (name: string): string => 'Good day ' + name;`);
    expect(await ran()).toBe('Good day Bell: ding\n');
  });

  it('joins what a thread runs, also in a build that began as a copy of another', async () => {
    const source = `import { parentPort } from 'node:worker_threads';\nimport { greet } from '#greeting';`;
    write('libs/content/src/compiler/content.worker.ts', `${source}\nparentPort!.postMessage(greet('Ann'));`);
    const ran = async () => {
      const folder = await build(root);
      rmSync(path.join(folder, 'libs/greeting'), { recursive: true });
      const thread = new Worker(path.join(folder, 'libs/content/src/compiler/content.worker.js'));
      return (await once(thread, 'message'))[0] as string;
    };
    expect(await ran()).toBe('Hello Ann');
    write('libs/greeting/src/index.ts', `export const greet = (name: string): string => 'Good day ' + name;`);
    expect(await ran()).toBe('Good day Ann');
  });

  it('leaves nothing behind when the sources do not compile, and says where', async () => {
    write('apps/door/src/main.ts', `export const door: number = 'shut';`);
    await expect(build(root)).rejects.toThrow(/apps\/door\/src\/main\.ts.*TS2322/);
    expect(builds()).toEqual([]);
  });

  it('goes when it is old and no living launcher uses it', async () => {
    await build(root);
    const old = ['1', '2', '3', '4'].map((digit) => digit.repeat(16));
    for (const [age, name] of old.entries()) {
      mkdirSync(path.join(root, '.build', name));
      utimesSync(path.join(root, '.build', name), 1_000 - age, 1_000 - age);
    }
    const used = {
      ...JSON.parse(readFileSync(path.join(root, `.build/users/${process.pid}.json`), 'utf8')),
      build: old[3],
    };
    writeFileSync(path.join(root, '.build/users/other.json'), JSON.stringify(used));
    writeFileSync(
      path.join(root, '.build/users/dead.json'),
      JSON.stringify({ ...used, startedAt: 'x', build: old[2] }),
    );
    const current = path.basename(await build(root));
    expect(builds().sort()).toEqual([current, old[0], old[1], old[3]].sort());
  });
});
