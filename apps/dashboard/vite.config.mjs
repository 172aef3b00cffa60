import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const libs = path.resolve(import.meta.dirname, '../../libs');

/** Modules that every page needs; none of them makes a zod schema, since they run before no-eval.ts. */
const shellModules = new RegExp(
  [
    'preload-helper',
    '/libs/client/',
    '/(react-router|router-core|history|react-store|store)/',
    '/src/data/(announcements|call-tool|listen|live-state|notices|other-tabs|prompts|refusal|report-failure|session|tools.calls|waits)[.]ts',
    '/src/ui/(button|class-names|dialog|icon|states)[.]tsx?',
    '/src/parts/(error-notice|page|page-keys|screen|screen-link|screen-paths)[.]tsx?',
    '/src/messages/(format|text|en/common|en/shell)[.]ts',
  ].join('|'),
);

/** The launcher names the output folder (`--outDir`), and compresses what stands in it. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: [
      { find: '#content', replacement: `${libs}/content/src/browser.ts` },
      { find: /^#([a-z-]+)$/, replacement: `${libs}/$1/src/index.ts` },
    ],
  },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // The policy of the pages allows neither inline scripts nor styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // It says what each chunk is.
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What every page needs comes in one file rather than in twenty, which compress worse.
        codeSplitting: {
          groups: [
            {
              name: 'shell',
              test: shellModules,
            },
          ],
        },
      },
    },
  },
});
