import tseslint from 'typescript-eslint';

/** The browser client has a configuration of its own: DOM and JSX. */
const dashboard = ['apps/dashboard/src/**/*.{ts,tsx}'];
const dashboardTests = ['apps/dashboard/test/**/*.ts'];
const sources = [
  'apps/**/*.ts',
  'libs/**/*.ts',
  'bench/**/*.ts',
  'demo/**/*.ts',
  'faults/**/*.ts',
  'test/**/*.ts',
  'scripts/**/*.ts',
];
const specs = [
  '**/*.spec.ts',
  '**/test/**/*.ts',
  'libs/testing/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'demo/**/*.ts',
  'faults/**/*.ts',
];

/** `process.env` is read in one place an app: its config.ts (HTTP and broker addresses, secrets, limits). */
const environment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Read the environment in config.ts only.',
};
/** Rules, and the libs that are pure, take `now`; leases, timers and guards use the database clock. */
const rules = [
  'apps/*/src/*/**/!(*.*).ts',
  'libs/{concurrency,contracts,tool-call,content,country,email-address,html-template,link-token}/src/**/!(*.spec).ts',
];
const clock = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "NewExpression[callee.name='Date'] > CallExpression[callee.object.name='Date']",
].map((selector) => ({ selector, message: 'Take `now` as a parameter.' }));

/** A spec awaits conditions (`until`); a wait of fixed length says in a disabling comment why no condition serves. */
const fixedWaits = [
  {
    selector: 'CallExpression[callee.name=/^(setTimeout|pause|sleep|delay)$/]',
    message: 'Await a condition (`until`). Where none serves, such as to prove that nothing happens, say so here.',
  },
  {
    selector: "ImportSpecifier[imported.name='setTimeout'][local.name!='pause']",
    message: 'Import it as `pause`, whose calls are checked.',
  },
];

/** A component holds no text: texts stand in messages/, by noun. */
const texts = [
  {
    selector: 'JSXText[value=/[A-Za-z]{2}/]',
    message: 'Take the text from messages/en/<noun>.ts.',
  },
  {
    selector:
      'JSXAttribute[name.name=/^(title|label|placeholder|alt|hint|aria-label|lead)$/] > Literal[value=/[A-Za-z]{2}/]',
    message: 'Take the text from messages/en/<noun>.ts.',
  },
];

/** What the policy of the pages refuses, or another user could fill with a script. */
const injections = [
  {
    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
    message: 'HTML of a mail goes to the preview frame; everything else is text.',
  },
  {
    selector: 'AssignmentExpression > MemberExpression[property.name=/^(innerHTML|outerHTML|srcdoc)$/]',
    message: 'The policy of the pages (Trusted Types) refuses it.',
  },
];

const typeChecked = (files, project) => ({
  files,
  extends: [tseslint.configs.base],
  languageOptions: { parserOptions: { project, tsconfigRootDir: import.meta.dirname } },
});

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.build', '.data', '**/*.mjs', '**/*.cjs'] },
  { ...typeChecked(sources, './tsconfig.json'), ignores: ['apps/dashboard/**'] },
  typeChecked(dashboard, './apps/dashboard/tsconfig.json'),
  typeChecked(dashboardTests, './apps/dashboard/test/tsconfig.json'),
  {
    files: [...sources, ...dashboard],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      'prefer-const': 'error',
      'no-console': 'error',
      eqeqeq: ['error', 'smart'],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'max-depth': ['error', 4],
      'no-restricted-syntax': ['error', environment],
    },
  },
  { files: ['**/config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // A component reads as one piece, and its markup takes lines.
    files: ['apps/dashboard/src/**/*.tsx'],
    rules: {
      'max-lines-per-function': ['error', { max: 90, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', ...texts, ...injections],
    },
  },
  { files: ['apps/dashboard/src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...injections] } },
  { files: rules, rules: { 'no-restricted-syntax': ['error', environment, ...clock] } },
  {
    files: specs,
    rules: {
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'no-restricted-syntax': 'off',
      'no-console': 'off',
    },
  },
  { files: ['**/*.spec.ts'], rules: { 'no-restricted-syntax': ['error', ...fixedWaits] } },
);
