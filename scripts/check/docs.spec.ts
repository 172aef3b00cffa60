import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { checkDocs } from './docs.mjs';
import { readMarkdown } from './markdown.mjs';

function check(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return checkDocs(root).map(({ file, line, message }) => `${file}:${line} ${message}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

it('a link leads to a file or a folder of the checkout, and its anchor to a heading there', () => {
  const guide = `# Start it

## What \`npm start\` does: all (1)

## Twice
## Twice
<a id="own"></a>
[a](../README.md) [b](../apps/) [c](#what-npm-start-does-all-1) [d](#twice-1) [e](#own) [f](https://x.example/y#z)
[g](../apps/main.ts#L3) [h](mailto:a@x.example)
`;
  const readme = `[a](docs/guide.md#start-it)
[b](docs/gone.md)
![c](docs/gone.png)
[d](docs/guide.md#stop-it)
[e](#nowhere)

\`\`\`md
[f](in/code.md)
\`\`\`
`;
  expect(check({ 'README.md': readme, 'docs/guide.md': guide, 'apps/main.ts': '' })).toEqual([
    'README.md:2 the link leads to docs/gone.md, which does not exist',
    'README.md:3 the link leads to docs/gone.png, which does not exist',
    'README.md:4 the link leads to docs/guide.md#stop-it, which has no such heading',
    'README.md:5 the link leads to README.md#nowhere, which has no such heading',
  ]);
});

it('a mark to run a block stands directly before a shell block', () => {
  const page =
    '<!-- run -->\n```sh\necho a\n```\n\n<!-- run -->\n\n```json\n{}\n```\n\n- b\n\n  <!-- run -->\n  ```sh\n  echo b\n  ```\n';
  expect(check({ 'README.md': page })).toEqual(['README.md:6 the mark <!-- run --> stands before no `sh` block']);
  expect(readMarkdown(page).runs).toEqual(['echo a\n', 'echo b\n']);
});

it('a path in backticks exists; what is no path of this repository is let be', () => {
  const page = `\`apps/main.ts\` \`apps/\` \`apps/*.ts\` \`**/main.ts\` \`main.ts\` \`apps/main.ts:12\` \`application/json\`
\`GET /api/v1/tags\` \`.data/log\` \`campaign.json\` \`apps/<service>/x.ts\` \`one.md\` \`../apps/main.ts\`
\`apps/gone.ts\`
\`gone.spec.ts\`
\`libs/*.ts\` \`apps/*.mjs\`
\`../apps/gone.ts\`
`;
  const missing = (line: number, path: string) =>
    `docs/one.md:${line} \`${path}\` looks like a path of this repository, which has none such`;
  expect(check({ 'docs/one.md': page, 'CHANGELOG.md': '`apps/gone.ts`', 'apps/main.ts': '' })).toEqual([
    missing(3, 'apps/gone.ts'),
    missing(4, 'gone.spec.ts'),
    missing(5, 'apps/*.mjs'),
    missing(6, '../apps/gone.ts'),
  ]);
});
