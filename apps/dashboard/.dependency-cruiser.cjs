/** Who may import whom in the browser client; the other apps and libs: the file of this name in the root. */
const nouns = 'src/(?!app/|data/|ui/|parts/|messages/)[^/]+/';
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'ui-knows-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/ui/' },
      to: { path: '^(src|\\.\\./)', pathNot: '^src/ui/|/node_modules/' },
    },
    {
      name: 'messages-know-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/messages/' },
      to: { path: '^(src|\\.\\./)', pathNot: '^src/messages/|/node_modules/' },
    },
    {
      name: 'data-knows-no-screen',
      severity: 'error',
      from: { path: '^src/data/' },
      to: { path: '^src/', pathNot: '^src/(data|messages)/' },
    },
    {
      name: 'parts-know-ui-and-data',
      severity: 'error',
      from: { path: '^src/parts/' },
      to: { path: '^src/', pathNot: '^src/(parts|ui|data|messages)/' },
    },
    {
      name: 'a-noun-knows-no-other-noun',
      severity: 'error',
      from: { path: `^${nouns.replace('[^/]+', '([^/]+)')}` },
      to: { path: '^src/', pathNot: '^src/($1|ui|parts|data|messages)/' },
    },
    {
      name: 'three-libs-only',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'libs/', pathNot: '(^|/)libs/(contracts|content|client)/|node_modules' },
    },
    {
      name: 'no-other-app',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^\.\./[a-z]' },
    },
    {
      name: 'no-node-built-ins',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.tsx?$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'contracts-come-lazily',
      severity: 'error',
      from: { path: '^src/(app|ui|data)/' },
      to: { path: '(^|/)libs/contracts/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-test-code-in-src',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.tsx?$' },
      to: { path: 'libs/testing/|/test/|^test/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules|libs/|^\.\./[a-z]' },
    enhancedResolveOptions: {
      conditionNames: ['tidings-source', 'import', 'browser', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.css', '.json'],
    },
  },
};
