import { toolCall } from './tool-call.bench.js';

const benches: Record<string, () => Promise<void>> = { 'tool-call': toolCall };

const names = process.argv.slice(2);
const unknown = names.filter((name) => !benches[name]);
if (unknown.length > 0 || names.length === 0) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(benches).join(' ')}\n`);
  process.exit(1);
}
for (const name of names) await benches[name]!();
