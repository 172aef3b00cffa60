import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { formerSettings, readEnvironment } from '#service-host';
import { campaignEnvironment } from '../apps/campaign/src/config.js';
import { deliveryEnvironment } from '../apps/delivery/src/config.js';
import { domainEnvironment } from '../apps/domain/src/config.js';
import { gatewayEnvironment } from '../apps/gateway/src/config.js';
import { subscriberEnvironment } from '../apps/subscriber/src/config.js';
import { workflowEnvironment } from '../apps/workflow/src/config.js';

const root = resolve(import.meta.dirname, '..');
const k8s = join(root, 'k8s');
const overlays = readdirSync(join(k8s, 'overlays'));
/** Overlays applied beside an installation run nothing. */
const installations = overlays.filter((overlay) => !overlay.startsWith('monitoring'));
const require = createRequire(import.meta.url);

/** What each process reads of its environment. */
const environments = {
  domain: { schema: domainEnvironment, names: Object.keys(domainEnvironment.shape) },
  subscriber: { schema: subscriberEnvironment, names: Object.keys(subscriberEnvironment.shape) },
  campaign: { schema: campaignEnvironment, names: Object.keys(campaignEnvironment.shape) },
  workflow: { schema: workflowEnvironment, names: Object.keys(workflowEnvironment.shape) },
  delivery: { schema: deliveryEnvironment, names: Object.keys(deliveryEnvironment.shape) },
  gateway: { schema: gatewayEnvironment, names: Object.keys(gatewayEnvironment.in.shape) },
};
type Service = keyof typeof environments;
const allServices = Object.keys(environments) as Service[];
/** A further cell has neither domain service nor gateways, and the NATS of the home. */
const cellOverlay = 'production-cell-b';

/** Replace the values that an installation keeps in its secrets. */
const secrets: Record<string, string> = {
  MASTER_KEY: 'ab'.repeat(32),
  NATS_TOKEN: 't0123',
  SMTP_URL: 'smtp://relay.example.com:587',
  BOOTSTRAP_TOKEN: 'my-first-token',
  uri: 'postgres://owner:secret@postgres:5432/tidings',
};
/** Set only by installations with an object storage, another relay, or a provider's webhooks. */
const leftOut = [
  ...['S3_KEY', 'SMTP_FALLBACK_URL', 'WEBHOOK_SES_TOPIC_ARN', 'WEBHOOK_MAILGUN_KEY', 'WEBHOOK_SENDGRID_KEY'],
  ...['WEBHOOK_POSTMARK_SECRET', 'WEBHOOK_MAIL_SECRET', 'OTEL_EXPORTER_OTLP_HEADERS', 'OIDC_CLIENT_SECRET'],
];

/** What OpenTelemetry reads by itself. */
const tracing = [
  ...['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_EXPORTER_OTLP_HEADERS'],
];
/** Where mail is taken over SMTP, if anywhere. */
const listenerSettings = ['SMTP_LISTEN_PORT', 'SMTP_LISTEN_HOST', 'SMTP_TLS_KEY_FILE', 'SMTP_TLS_CERT_FILE'];
/** The settings that an operator finds in the guides. */
const namesIn = (guide: string): string[] =>
  [...readFileSync(join(root, guide), 'utf8').matchAll(/`([A-Z][A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name]) => name!);
const guided = new Set(['README.md', 'docs/guides/kubernetes.md', 'docs/guides/monitoring.md'].flatMap(namesIn));

interface Variable {
  name: string;
  value?: string;
  valueFrom?: Record<'configMapKeyRef' | 'secretKeyRef', { name: string; key: string; optional?: boolean } | undefined>;
}
interface Probe {
  httpGet?: { path: string; port: string };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}
interface Container {
  name: string;
  image: string;
  command?: string[];
  env?: Variable[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  resources: { requests: object; limits: object };
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle: { preStop: { sleep: { seconds: number } } };
}
interface PodSpec {
  terminationGracePeriodSeconds: number;
  securityContext: object;
  initContainers?: Container[];
  containers: Container[];
}
interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec: Record<string, never> & { template: { metadata: { labels: Record<string, string> }; spec: PodSpec } };
}

interface SmtpService {
  spec: { selector: object; ports: { port: number; targetPort: string }[] };
}

/** What the schema of its kind says against a resource; fields that the check never looks at are unknown to it. */
function problemsOf(resource: Resource): string[] {
  const { apiVersion, kind } = resource;
  const names = Object.keys(require(`kubernetes-models/${apiVersion}/${kind}`) as object);
  const schema = names.find((name) => name.startsWith('IoK8s'))!;
  // By its path: the package offers the check of a copy only, which would be looked at whole.
  const path = join(root, 'node_modules/kubernetes-models/_schemas', `${schema}.js`);
  const { validate } = require(path) as { validate: Validate };
  const looked = new Set<string>();
  if (!validate(watched(resource, '', looked)))
    return validate.errors!.map((error) => `${error.instancePath} ${error.keyword}`);
  return pathsOf(resource, '').filter((path) => !looked.has(path));
}

type Validate = ((from: object) => boolean) & { errors: { instancePath: string; keyword: string }[] | null };

function watched(value: object, path: string, looked: Set<string>): object {
  return new Proxy(value, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key);
      if (typeof key !== 'string') return found;
      looked.add(`${path}/${key}`);
      return typeof found === 'object' && found !== null ? watched(found, `${path}/${key}`, looked) : found;
    },
    // Maps, such as labels, are walked over whole.
    ownKeys: (target) => {
      for (const key of Object.keys(target)) looked.add(`${path}/${key}`);
      return Reflect.ownKeys(target);
    },
  });
}

const pathsOf = (value: object, path: string): string[] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    `${path}/${key}`,
    ...(typeof inner === 'object' && inner !== null ? pathsOf(inner, `${path}/${key}`) : []),
  ]);

it('a field that is misspelt is found, and one of the wrong type', () => {
  const [deployment] = read('production').filter(({ kind }) => kind === 'Deployment');
  const changed = (change: object) => problemsOf({ ...deployment!, spec: { ...deployment!.spec, ...change } });
  expect(changed({})).toEqual([]);
  expect(changed({ strateggy: { type: 'Recreate' } })).toEqual(['/spec/strateggy', '/spec/strateggy/type']);
  expect(changed({ replicas: 'two' })).toEqual(['/spec/replicas type']);
});

const parsed = new Map<string, Resource[]>();
function read(overlay: string): Resource[] {
  const known = parsed.get(overlay) ?? readRendered(overlay);
  parsed.set(overlay, known);
  return known;
}
const readRendered = (overlay: string): Resource[] =>
  parseAllDocuments(readFileSync(join(k8s, 'rendered', `${overlay}.yaml`), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
const files = (folder: string): string[] =>
  readdirSync(join(k8s, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
const imageEnvironment = Object.fromEntries(
  [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/\b([A-Z_]+)=(\S+)(?= |\n)/g)].map(([, name, value]) => [
    name!,
    value!,
  ]),
);

it('the rendered manifests are those of the sources: run k8s/render.sh', () => {
  const all = ['base', 'components', 'overlays'].flatMap(files).sort((a, b) => (a < b ? -1 : 1));
  const sources = createHash('sha256').update(Buffer.concat(all.map((file) => readFileSync(join(k8s, file)))));
  const line = `# Made by k8s/render.sh from sources ${sources.digest('hex')}\n`;
  for (const overlay of overlays)
    expect(readFileSync(join(k8s, 'rendered', `${overlay}.yaml`), 'utf8').startsWith(line)).toBe(true);
});

describe.each(installations)('overlay %s', (overlay) => {
  const resources = read(overlay);
  const isCell = overlay === cellOverlay;
  const services = allServices.filter((one) => !isCell || (one !== 'domain' && one !== 'gateway'));
  const named = (kind: string, name?: string) =>
    resources.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  const workloads = ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) => named(kind));
  const containersOf = ({ spec }: Resource) => {
    const { initContainers = [], containers } = spec.template.spec;
    return [...initContainers, ...containers];
  };
  const process = (service: Service) => {
    const { spec } = named('Deployment', service)[0]!.spec.template;
    return { pod: spec, container: spec.containers[0]! };
  };

  /** The environment of a container; undefined for an optional value that is absent. */
  const valueOf = ({ value, valueFrom }: Variable, sofar: Record<string, string>): string | undefined => {
    if (value !== undefined) return value.replace(/\$\((\w+)\)/g, (_all, name: string) => sofar[name]!);
    const { configMapKeyRef: setting, secretKeyRef: secret } = valueFrom!;
    const from = setting ? named('ConfigMap', setting.name)[0]!.data! : secrets;
    const { key, optional = false } = setting ?? secret!;
    if (from[key] === undefined && !optional) throw new Error(`there is no ${key}`);
    return from[key];
  };
  const environmentOf = ({ env = [] }: Container) => {
    const environment: Record<string, string> = { ...imageEnvironment };
    for (const variable of env) {
      const value = valueOf(variable, environment);
      if (value !== undefined) environment[variable.name] = value;
    }
    return environment;
  };

  it('is valid by the schemas of Kubernetes, and has no unknown field', () => {
    const own = new Set(['ServiceMonitor', 'PrometheusRule', 'Cluster', 'ScheduledBackup']);
    for (const resource of resources.filter(({ kind }) => !own.has(kind))) expect(problemsOf(resource)).toEqual([]);
  });

  it.each(services)('gives %s every required setting, and no unknown one', (service) => {
    const { container } = process(service);
    const { schema, names } = environments[service];
    const environment = environmentOf(container);
    expect(() => readEnvironment(schema, environment)).not.toThrow();
    const given = container.env!.map(({ name }) => name);
    expect(given.filter((name) => !names.includes(name) && !formerSettings.includes(name))).toEqual([
      'NATS_TOKEN',
      ...tracing,
    ]);
    expect(given).toEqual([...new Set(given)]);
    expect(environment.NATS_URL).toBe(`nats://t0123@${isCell ? 'nats.tidings' : 'nats'}:4222`);
    if ('DATABASE_URL' in environment) expect(environment.DATABASE_URL).not.toContain('@');
  });

  it.each(services)('passes every setting that the guides name to %s', (service) => {
    const { container } = process(service);
    const given = [...container.env!.map(({ name }) => name), ...Object.keys(imageEnvironment)];
    const atListener = named('Service', 'smtp').length > 0 ? [] : listenerSettings;
    const wanted = environments[service].names.filter((name) => guided.has(name) && !atListener.includes(name));
    // Those of other cells and of tracing are tested where they are.
    expect(wanted.filter((name) => !given.includes(name) && !/^(CELLS|HOME_CELL|NATS_NAMESPACE)$/.test(name))).toEqual(
      [],
    );
    expect(given).toEqual(expect.arrayContaining(tracing));
  });

  it('gives the database owner’s credentials to every migration and to nothing else', () => {
    const containers = containersOf(named('Job', 'migration')[0]!);
    expect(containers.map(({ name }) => name).sort()).toEqual(services.filter((one) => one !== 'gateway').sort());
    for (const container of containers) {
      const { schema } = environments[container.name as Service];
      const environment = environmentOf(container);
      expect(readEnvironment(schema, environment)).toMatchObject({ MIGRATE: 'only', DATABASE_URL: secrets.uri });
      const { DATABASE_URL: tenant } = environmentOf(process(container.name as Service).container);
      // Roles are named after the database: both must name the same.
      if (overlay !== 'production') expect(new URL(tenant!).pathname).toBe(new URL(secrets.uri!).pathname);
    }
  });

  it('starts what the image holds, and asks it where it answers', () => {
    const containers = workloads.flatMap(containersOf);
    for (const { image, command } of containers.filter(({ image: from }) => from.includes('/tidings:'))) {
      expect([image, command![0]]).toEqual(['registry.example.com/tidings:0.1.0', 'node']);
      expect(existsSync(join(root, command![1]!.replace(/\.js$/, '.ts')))).toBe(true);
    }
    const { HOST, PORT, HEALTH_HOST, HEALTH_PORT } = imageEnvironment;
    expect([HOST, PORT, HEALTH_HOST, HEALTH_PORT]).toEqual(['0.0.0.0', '3000', '0.0.0.0', '3001']);
    for (const service of services) {
      const { container } = process(service);
      expect(container.ports!.filter(({ name }) => name !== 'smtp')).toEqual([
        { name: 'health', containerPort: 3001 },
        ...(service === 'gateway' ? [{ name: 'http', containerPort: 3000 }] : []),
      ]);
      const { startupProbe, livenessProbe, readinessProbe } = container;
      const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
      expect(probes).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'health' })));
    }
  });

  it('opens the health ports to what measures, and the port of the gateway to the ingress alone', () => {
    const openings = (name: string) =>
      named('NetworkPolicy', name).flatMap(({ spec }) =>
        (spec.ingress as unknown as { from: object[]; ports: { port: number }[] }[]).map(({ from, ports }) => [
          JSON.stringify(from).match(/metadata\.name":"([\w-]+)"/)![1],
          ...ports.map(({ port }) => port),
        ]),
      );
    expect(openings('measuring')).toEqual([['monitoring', 3001]]);
    expect(openings('visitors')).toEqual(isCell ? [] : [['ingress-nginx', 3000]]);
    for (const service of services) {
      const { ports } = named('Service', service)[0]!.spec as unknown as { ports: object[] };
      expect(ports).toContainEqual({ name: 'health', port: 3001, targetPort: 'health' });
    }
  });

  it('replaces a process without a gap: a new one first, and time for open work', () => {
    for (const service of services) {
      const { pod, container } = process(service);
      const { strategy } = named('Deployment', service)[0]!.spec;
      expect(strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
      // A process that stops gives its calls 30 s.
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(container.lifecycle.preStop.sleep.seconds + 30);
    }
  });

  it('migrates one schema after the other, so that a small node has room for the database it waits for', () => {
    const { initContainers, containers } = named('Job', 'migration')[0]!.spec.template.spec;
    expect(containers).toHaveLength(1);
    for (const { resources: room } of [...initContainers!, ...containers])
      expect(room.requests).toEqual({ cpu: '100m', memory: '160Mi' });
  });

  it('ends a process that hangs without the grace that it cannot use', () => {
    for (const { container } of services.map(process)) {
      const { terminationGracePeriodSeconds: grace } = container.livenessProbe;
      // preStop counts.
      expect(grace).toBe(container.lifecycle.preStop.sleep.seconds + 5);
    }
  });

  it('runs everything without privileges, within limits', () => {
    for (const workload of workloads) {
      const pod = workload.spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const { securityContext, resources: room } of containersOf(workload)) {
        const none = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
        expect(securityContext).toEqual(none);
        expect(room).toMatchObject({
          requests: { cpu: expect.anything(), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it('opens the database to the processes that have its address', () => {
    const policy = named('NetworkPolicy', 'database')[0]!.spec as unknown as {
      podSelector: { matchExpressions: [{ values: string[] }] };
    };
    const withDatabase = services.filter((one) =>
      process(one).container.env!.some(({ name }) => name === 'DATABASE_URL'),
    );
    const values = policy.podSelector.matchExpressions[0].values.filter((one) => one !== 'domain' || !isCell);
    expect(values.sort()).toEqual([...withDatabase, 'migration'].sort());
    expect(named('NetworkPolicy', 'nothing')[0]!.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  it('gives every secret that is left out a place where it may be', () => {
    const optional = services.flatMap((service) =>
      (process(service).container.env ?? []).filter(({ valueFrom }) => valueFrom?.secretKeyRef?.optional),
    );
    const known = optional.map(({ name }) => name).filter((name) => !(name in secrets));
    const wanted = leftOut.filter((name) => !isCell || !/^(?:WEBHOOK|OIDC)_/.test(name));
    expect([...new Set(known)].sort()).toEqual(wanted.sort());
  });

  it('admits mail at delivery’s listener, and bounce reports at the gateway', () => {
    const listeners = named('Service', 'smtp') as unknown as SmtpService[];
    const { container } = process('delivery');
    const environment = environmentOf(container);
    if (listeners.length === 0) return expect(environment.SMTP_LISTEN_PORT).toBeUndefined();
    const { SMTP_LISTEN_PORT: port, SMTP_LISTEN_HOST: host } = readEnvironment(deliveryEnvironment, environment);
    expect(container.ports).toContainEqual({ name: 'smtp', containerPort: port });
    expect(host).toBe('0.0.0.0');
    expect(listeners[0]!.spec.ports.map((one) => [one.port, one.targetPort])).toEqual([
      [25, 'smtp'],
      [587, 'smtp'],
    ]);
    expect(listeners[0]!.spec.selector).toEqual({ 'app.kubernetes.io/name': 'delivery' });
    expect(JSON.stringify(named('NetworkPolicy', 'smtp')[0]!.spec)).toContain(`"port":${port}`);
    if (isCell) return;
    expect(JSON.stringify(named('Ingress', 'gateway')[0]!.spec)).toContain('"path":"/webhooks"');
    expect(JSON.stringify(named('NetworkPolicy', 'web')[0]!.spec)).toContain('"gateway"');
  });

  it('names in selectors, budgets and scalers only what there is', () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name']);
    if (isCell) labels.push('nats');
    const wanted = JSON.stringify(resources).matchAll(/"app\.kubernetes\.io\/name":"([\w-]+)"/g);
    expect([...wanted].map(([, name]) => name).filter((name) => !labels.includes(name))).toEqual([]);
    for (const { metadata, spec } of named('HorizontalPodAutoscaler')) {
      expect(spec.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: metadata.name });
      expect(services).toContain(metadata.name);
    }
  });
});

it('a further cell and its home fit together', () => {
  const [home, cell] = ['production-cells', cellOverlay].map((overlay) =>
    read(overlay).find(({ kind, data }) => kind === 'ConfigMap' && data?.PUBLIC_URL)!,
  ) as [Resource, Resource];
  expect(home.data!.CELLS!.split(',')).toContain(cell.data!.NATS_NAMESPACE);
  expect([cell.data!.HOME_CELL, home.data!.NATS_NAMESPACE]).toEqual(['tidings', undefined]);
  expect(cell.data!.PUBLIC_URL).toBe(home.data!.PUBLIC_URL);
  expect(cell.data!.DATABASE_URL).not.toBe(home.data!.DATABASE_URL);
  const deployments = read('production-cells').filter(({ kind }) => kind === 'Deployment');
  const knowing = deployments.filter(({ spec }) =>
    spec.template.spec.containers[0]!.env!.some(({ name }) => name === 'CELLS'),
  );
  expect(knowing.map(({ metadata }) => metadata.name)).toEqual(['domain', 'gateway']);
  const policy = read('production-cells').find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'nats',
  );
  expect(JSON.stringify(policy)).toContain(`"kubernetes.io/metadata.name":"${cell.metadata.namespace}"`);
});

it('what measures asks the port that has the metrics', () => {
  const [monitor] = read('monitoring').filter(({ kind }) => kind === 'ServiceMonitor');
  expect(monitor!.spec.endpoints).toMatchObject([{ port: 'health', path: '/metrics' }]);
});

it('the ingress leads to all that the gateway has for the world', () => {
  const sources = join(root, 'apps/gateway/src');
  const controllers = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.controller.ts'))
    .map((file) => readFileSync(join(sources, file), 'utf8'));
  const routes = controllers.flatMap((text) => {
    const [, prefix = ''] = /@Controller\('?([^')]*)'?\)/.exec(text)!;
    if (prefix !== '') return [prefix];
    return [...text.matchAll(/@(?:Get|Post|All)\((.*)\)/g)].flatMap(([, paths]) => paths!.match(/[\w./:*]+/g) ?? []);
  });
  // The mailbox and the dashboard are the component `dashboard`'s.
  const forItsRule = ['mailbox', 'mailbox.json', ':first', 'assets', 'preview'];
  const wanted = new Set(routes.map((route) => route.split('/')[0]!).filter((one) => !forItsRule.includes(one)));
  for (const overlay of ['production', 'single-node']) {
    const [ingress] = read(overlay).filter(({ kind }) => kind === 'Ingress');
    const paths = [...JSON.stringify(ingress).matchAll(/"path":"\/(\w+)"/g)].map(([, path]) => path);
    expect(paths.sort()).toEqual([...wanted].sort());
  }
});

it('the ingress leads to the dashboard in production alone, and on one host', () => {
  const rulesOf = (overlay: string) =>
    read(overlay)
      .filter(({ kind }) => kind === 'Ingress')
      .flatMap(({ spec }) => spec.rules as unknown as { host: string; http: { paths: { path: string }[] } }[]);
  const withDashboard = installations.filter((overlay) => JSON.stringify(rulesOf(overlay)).includes('"path":"/"'));
  expect(withDashboard.sort()).toEqual(['production', 'production-cells', 'production-cloudnative-pg']);
  for (const overlay of withDashboard) {
    const [rule, ...others] = rulesOf(overlay);
    expect(others).toEqual([]);
    expect(rule!.host).toBe('mail.example.com');
    // The guide takes it away by this place.
    expect(rule!.http.paths[0]).toMatchObject({ path: '/', pathType: 'Prefix' });
  }
});

it('no NATS server is ended because its peers are away', () => {
  const servers = installations
    .flatMap(read)
    .filter(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'nats');
  expect(servers.length).toBeGreaterThan(1);
  for (const { spec } of servers) {
    const [{ livenessProbe, startupProbe }] = spec.template.spec.containers as [Container];
    // js-server-only fails as long as a server of a cluster has no leader: right for one that starts, which others follow.
    expect(livenessProbe.httpGet!.path).toBe('/healthz?js-enabled-only=true');
    expect(startupProbe.httpGet!.path).toBe('/healthz?js-server-only=true');
  }
});

it('ends no process because a busy node lets it answer late', () => {
  const containers = [...installations, 'monitoring']
    .flatMap(read)
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .flatMap(({ spec }) => spec.template.spec.containers as Partial<Container>[]);
  expect(containers.length).toBeGreaterThan(1);
  for (const { name, startupProbe, livenessProbe, readinessProbe } of containers) {
    // Without timeoutSeconds a probe waits 1 s.
    const waits = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe && (probe.timeoutSeconds ?? 1));
    expect([name, waits.filter((seconds) => seconds !== undefined && seconds < 3)]).toEqual([name, []]);
    if (startupProbe) expect(startupProbe.periodSeconds! * startupProbe.failureThreshold!).toBeGreaterThanOrEqual(180);
  }
});

it('NATS closes the connection of a process that hangs within seconds, so that others get its share of the calls', () => {
  const settings = installations
    .flatMap(read)
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats')
    .map(({ data }) => data!['nats.conf']!);
  expect(settings.length).toBeGreaterThan(1);
  const compose = readFileSync('docker-compose.yml', 'utf8').replaceAll(/^ +/gm, '');
  for (const text of [...settings, compose]) expect(text).toMatch(/^ping_interval: "3s"\nping_max: 2$/m);
});

it('checks the catcher’s readiness without reading mail', () => {
  const { readinessProbe } = read('single-node').find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'catcher',
  )!.spec.template.spec.containers[0]!;
  expect(readinessProbe).toMatchObject({ httpGet: { path: '/healthz' }, timeoutSeconds: 5, failureThreshold: 6 });
});

it('the guide names every secret, and every overlay', () => {
  const guide = readFileSync(join(root, 'docs/guides/kubernetes.md'), 'utf8');
  for (const name of [...Object.keys(secrets), ...leftOut]) expect(guide).toContain(name);
  for (const overlay of overlays) expect(guide).toContain(`k8s/overlays/${overlay}`);
});

it('the guide gives PostgreSQL more connections than all pods of production may take', () => {
  const guide = readFileSync(join(root, 'docs/guides/kubernetes.md'), 'utf8');
  const connections = Number(/`max_connections` of at least (\d+)/.exec(guide)![1]);
  const scalers = read('production').filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  const pods = scalers
    .filter(({ metadata }) => metadata.name !== 'gateway')
    .map(({ spec }) => Number(spec.maxReplicas));
  expect(pods).toHaveLength(5);
  const poolSize = 10;
  // During a rollout each service has one pod more.
  expect(connections).toBeGreaterThan(pods.reduce((sum, most) => sum + most + 1, 0) * poolSize);
});

it('the guide scales up again what it scales to none, which no manifest does', () => {
  const guide = readFileSync(join(root, 'docs/guides/backup-and-restore.md'), 'utf8');
  const scalings = [...guide.matchAll(/scale deployment --all --replicas=(\d)/g)].map(([, replicas]) => replicas);
  expect(scalings).toEqual(['0', '1']);
  const deployments = read('production').filter(({ kind }) => kind === 'Deployment');
  expect(deployments.filter(({ spec }) => 'replicas' in spec)).toEqual([]);
});

const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, { image: string; environment: Record<string, unknown> }>;
};

it.each(allServices)('the compose file passes every setting that its guide names to %s', (service) => {
  const given = [...Object.keys(compose.services[service]!.environment), ...Object.keys(imageEnvironment)];
  const wanted = environments[service].names.filter((name) => namesIn('docs/guides/one-machine.md').includes(name));
  expect(wanted.filter((name) => !given.includes(name))).toEqual([]);
});

it('the images of servers are those that the compose file runs', () => {
  const single = JSON.stringify(read('single-node'));
  for (const name of ['nats', 'postgres']) expect(single).toContain(`"image":"${compose.services[name]!.image}"`);
});
