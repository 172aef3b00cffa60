/** Compares Tidings with a listmonk whose path is given; docs/internals/performance.md says how to build one. */
if (process.argv.some((argument) => /^--listmonk(=|$)/.test(argument))) await import('./compare.js');
else process.stdout.write('versus-listmonk: name a listmonk binary with --listmonk PATH\n');

export {};
