/** Who may import whom. Each rule names the sentence of the architecture that it keeps true. */
const framework = '^node_modules/(@nestjs|@nats-io|typeorm|pg)(/|$)';
const specs = '\\.spec\\.ts$';
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'apps-are-islands',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    { name: 'libs-never-import-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'libs-only-through-index',
      severity: 'error',
      from: { path: '^(?:apps|libs)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: '^libs/$1/' },
    },
    {
      name: 'contracts-know-only-zod',
      severity: 'error',
      from: { path: '^libs/contracts/src/', pathNot: specs },
      to: { pathNot: '^(libs/contracts/|node_modules/zod/)' },
    },
    {
      name: 'pure-libs-stay-pure',
      severity: 'error',
      from: {
        path: '^libs/(concurrency|tool-call|content|country|csv|email-address|html-template|link-token|time-series)/',
      },
      to: { path: framework },
    },
    {
      name: 'nest-only-at-the-edge',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: '(\\.(module|controller|consumer|job)|/(main|boot))\\.ts$' },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'sql-only-in-repositories',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/', pathNot: `(\\.(repository|entity|module)|/main)\\.ts$|${specs}` },
      to: { path: '^node_modules/(typeorm|pg)/' },
    },
    {
      name: 'nats-only-in-bus',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^libs/(bus|testing)/|${specs}` },
      to: { path: '^node_modules/@nats-io/' },
    },
    {
      name: 'traces-are-loaded-only-when-wanted',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/observability/src/open-telemetry\\.ts$' },
      to: {
        path: '^node_modules/@opentelemetry/|^libs/observability/src/(open-telemetry|trace-sql)\\.ts$',
        dynamic: false,
      },
    },
    {
      name: 'rules-import-nothing-outward',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/.+/[a-z0-9-]+\\.ts$' },
      // A file whose suffix names a part (a repository, a worker, …) is not a rule.
      to: { path: '^apps/[^/]+/src/', pathNot: '/[a-z0-9-]+\\.ts$' },
    },
    {
      name: 'rules-use-pure-libs',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/.+/[a-z0-9-]+\\.ts$' },
      to: {
        path: '^libs/',
        pathNot:
          '^libs/(concurrency|contracts|tool-call|content|country|csv|email-address|html-template|link-token|time-series)/',
      },
    },
    // Delivery's groups: message ← other leaves ← metrics ← send ← report ← accept.
    {
      name: 'delivery-leaves-know-no-other-group',
      severity: 'error',
      from: { path: '^apps/delivery/src/(message|limits|hold)/' },
      to: { path: '^apps/delivery/src/[^/]+/', pathNot: '^apps/delivery/src/($1|message)/' },
    },
    {
      name: 'delivery-metrics-know-only-leaves',
      severity: 'error',
      from: { path: '^apps/delivery/src/metrics/' },
      to: { path: '^apps/delivery/src/(send|report|accept)/' },
    },
    {
      name: 'delivery-send-knows-no-report',
      severity: 'error',
      from: { path: '^apps/delivery/src/send/' },
      to: { path: '^apps/delivery/src/(report|accept)/' },
    },
    {
      name: 'delivery-report-knows-no-accept',
      severity: 'error',
      from: { path: '^apps/delivery/src/report/' },
      to: { path: '^apps/delivery/src/accept/' },
    },
    // Workflow's groups: rules ← engine/store ← engine ← authoring.
    {
      name: 'workflow-rules-know-no-other-group',
      severity: 'error',
      from: { path: '^apps/workflow/src/rules/' },
      to: { path: '^apps/workflow/src/', pathNot: '^apps/workflow/src/rules/' },
    },
    {
      name: 'workflow-store-knows-only-rules',
      severity: 'error',
      from: { path: '^apps/workflow/src/engine/store/' },
      to: { path: '^apps/workflow/src/', pathNot: '^apps/workflow/src/(rules|engine/store)/' },
    },
    {
      name: 'workflow-engine-knows-no-authoring',
      severity: 'error',
      from: { path: '^apps/workflow/src/engine/' },
      to: { path: '^apps/workflow/src/authoring/' },
    },
    {
      name: 'no-test-code-in-src',
      severity: 'error',
      from: { path: '^(apps|libs)/[^/]+/src/', pathNot: `^libs/testing/|${specs}` },
      to: { path: '^libs/testing/|/test/|^test/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    // The browser client has rules of its own.
    exclude: { path: '^(dist|\\.build|\\.data|apps/dashboard/src)/' },
    enhancedResolveOptions: {
      conditionNames: ['tidings-source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
