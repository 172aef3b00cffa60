import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';

/** What holds for every object of an overlay once `kubectl apply -k` has created it: the schemas do not say. */
const root = resolve(import.meta.dirname, '..');
const overlays = readdirSync(join(root, 'k8s/overlays'));
const guide = readFileSync(join(root, 'docs/guides/kubernetes.md'), 'utf8');

interface Container {
  name: string;
  image: string;
  command?: string[];
  env?: { name: string; value?: string; valueFrom?: Record<string, Reference> }[];
  volumeMounts?: { name: string }[];
  resources: { requests: { cpu: string; memory: string } };
}
interface Reference {
  name: string;
  key: string;
  optional?: boolean;
}
interface Volume {
  name: string;
  configMap?: { name: string; optional?: boolean };
  secret?: { secretName: string; optional?: boolean };
  persistentVolumeClaim?: { claimName: string };
}
interface PodSpec {
  serviceAccountName?: string;
  initContainers?: Container[];
  containers: Container[];
  volumes?: Volume[];
}
interface KubernetesObject {
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec: {
    template: { spec: PodSpec };
    replicas?: number;
    minReplicas?: number;
    instances?: number;
    serviceName?: string;
    scaleTargetRef?: { kind: string; name: string };
    volumeClaimTemplates?: { metadata: { name: string } }[];
    resources?: { requests: { cpu: string; memory: string } };
    ports?: { name: string; port: number }[];
  };
}

const objectsOf = (overlay: string): KubernetesObject[] =>
  parseAllDocuments(readFileSync(join(root, 'k8s/rendered', `${overlay}.yaml`), 'utf8')).map(
    (document) => document.toJS() as KubernetesObject,
  );
const namespaceOf = (overlay: string): string =>
  (parse(readFileSync(join(root, 'k8s/overlays', overlay, 'kustomization.yaml'), 'utf8')) as { namespace: string })
    .namespace;

/** The text of the guide below a heading, up to the next of the same depth. */
const sectionOf = (heading: string): string => guide.split(/^(?=#+ )/m).find((text) => text.startsWith(heading))!;

/** Secrets that a section of the guide creates, with their keys. */
function secretsIn(section: string): Map<string, string[]> {
  const commands = section.replaceAll('\\\n', ' ').matchAll(/create secret generic ([\w-]+)(.*)/g);
  return new Map(
    [...commands].map(([, name, rest]) => [name!, [...rest!.matchAll(/--from-literal=(\w+)/g)].map(([, key]) => key!)]),
  );
}

const images = parse(/^```yaml\n([\s\S]*?)^```/m.exec(sectionOf('### Production'))![1]!) as {
  namespace: string;
  images: { name: string }[];
};

/** Processors of a quantity such as `250m` or `2`. */
const processors = (quantity: string | number): number =>
  String(quantity).endsWith('m') ? Number.parseInt(String(quantity), 10) / 1000 : Number(quantity);
/** MiB of a quantity such as `256Mi` or `4Gi`. */
const mebibytes = (quantity: string): number =>
  Number.parseInt(quantity, 10) * { Mi: 1, Gi: 1024 }[quantity.slice(-2) as 'Mi' | 'Gi'];

/** Kubernetes and what a cluster usually runs beside it take this much of a node. */
const reserved = { cpu: 0.5, memory: 768 };

describe.each(overlays)('overlay %s', (overlay) => {
  const objects = objectsOf(overlay);
  const namespace = namespaceOf(overlay);
  const named = (kind: string) => objects.filter((one) => one.kind === kind);
  const names = (kind: string) => named(kind).map(({ metadata }) => metadata.name);
  const workloads = ['Deployment', 'StatefulSet', 'Job'].flatMap(named);
  const containersOf = ({ initContainers = [], containers }: PodSpec) => [...initContainers, ...containers];
  const pods = workloads.map(({ spec }) => spec.template.spec);
  const containers = pods.flatMap(containersOf);

  it('creates every object in the namespace that the overlay names', () => {
    const elsewhere = objects.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== namespace);
    expect(elsewhere.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    for (const name of names('Namespace')) expect(name).toBe(namespace);
  });

  it('runs our image under the name that the guide replaces, and servers with a version', () => {
    const tenant = containers.filter(({ command }) => command?.[0] === 'node');
    for (const { image } of tenant) expect(image).toBe(`${images.images[0]!.name}:0.1.0`);
    const others = containers.filter((one) => !tenant.includes(one)).map(({ image }) => image);
    for (const image of others) expect(image).toMatch(/^(nats|postgres):\d[\w.-]+$/);
  });

  it('refers to config maps, accounts, claims and volumes that it contains', () => {
    const maps = new Map(named('ConfigMap').map(({ metadata, data }) => [metadata.name, Object.keys(data!)]));
    for (const { env = [] } of containers) {
      for (const { valueFrom } of env) {
        const reference = valueFrom?.configMapKeyRef;
        if (!reference) continue;
        expect([...maps.keys()]).toContain(reference.name);
        if (!reference.optional) expect(maps.get(reference.name)).toContain(reference.key);
      }
    }
    for (const { spec } of workloads) {
      const pod = spec.template.spec;
      const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
      const volumes = pod.volumes ?? [];
      for (const { configMap, persistentVolumeClaim } of volumes) {
        if (configMap) expect([...maps.keys()]).toContain(configMap.name);
        if (persistentVolumeClaim) expect(names('PersistentVolumeClaim')).toContain(persistentVolumeClaim.claimName);
      }
      const places = [...claims, ...volumes.map(({ name }) => name)];
      for (const { volumeMounts = [] } of containersOf(pod))
        for (const { name } of volumeMounts) expect(places).toContain(name);
      if (pod.serviceAccountName) expect(names('ServiceAccount')).toContain(pod.serviceAccountName);
    }
  });

  it('needs no secret and no key but those that the guide creates for it', () => {
    const created = secretsIn(sectionOf(overlay === 'single-node' ? '### On one node' : '### Production'));
    // The operator of CloudNativePG creates the secret of the owner.
    for (const name of names('Cluster')) created.set(`${name}-app`, ['uri']);
    for (const { env = [] } of containers) {
      for (const { valueFrom } of env) {
        const reference = valueFrom?.secretKeyRef;
        if (!reference || reference.optional) continue;
        expect([reference.name, created.get(reference.name)]).toEqual([
          reference.name,
          expect.arrayContaining([reference.key]),
        ]);
      }
    }
    const mounted = pods.flatMap(({ volumes = [] }) => volumes).flatMap(({ secret }) => secret ?? []);
    for (const { secretName, optional = false } of mounted) expect(optional || created.has(secretName)).toBe(true);
    for (const [, name] of JSON.stringify(named('Ingress')).matchAll(/"secretName":"([\w-]+)"/g))
      expect(guide).toContain(`create secret tls ${name}`);
  });

  it('reaches, by short names, services that it contains, and by longer ones those of the home', () => {
    const services = (from: KubernetesObject[]) =>
      from
        .filter(({ kind }) => kind === 'Service')
        .flatMap(({ metadata, spec }) => spec.ports!.map(({ port }) => `${metadata.name}:${port}`));
    // The operator of CloudNativePG creates the services of a cluster.
    const local = [...services(objects), ...names('Cluster').map((name) => `${name}-rw:5432`)];
    const home = services(objectsOf('production-cells')).map((one) => one.replace(':', '.tidings:'));
    const settings = named('ConfigMap').flatMap(({ data }) => Object.values(data!));
    const values = [...settings, ...containers.flatMap(({ env = [] }) => env.map(({ value = '' }) => value))];
    const inner = values.flatMap((value) => /^\w+:\/\/(?:[^@/]*@)?([\w-]+(?:\.tidings)?:\d+)/.exec(value)?.[1] ?? []);
    expect(inner.filter((one) => ![...local, ...home].includes(one))).toEqual([]);
    for (const { spec } of named('StatefulSet')) expect(names('Service')).toContain(spec.serviceName);
    for (const [, name] of JSON.stringify(named('Ingress')).matchAll(/"service":\{"name":"([\w-]+)"/g))
      expect(names('Service')).toContain(name);
    for (const { spec } of named('HorizontalPodAutoscaler'))
      expect(names(spec.scaleTargetRef!.kind)).toContain(spec.scaleTargetRef!.name);
  });

  it('requests no more than the nodes have that the guide states, with one pod to spare for a rollout', () => {
    const [, nodes, cpu, memory] =
      new RegExp(`^\\|.*k8s/overlays/${overlay}\`.*\\| (\\d)[^|]* of (\\d+) processors and (\\d+) GiB`, 'm').exec(
        guide,
      ) ?? [];
    if (workloads.length === 0) return expect(nodes).toBeUndefined();
    const replicasOf = ({ kind, metadata, spec }: KubernetesObject) =>
      named('HorizontalPodAutoscaler').find(
        (one) => kind === 'Deployment' && one.spec.scaleTargetRef!.name === metadata.name,
      )?.spec.minReplicas ??
      spec.replicas ??
      1;
    const requestOf = (of: (requests: { cpu: string; memory: string }) => number, pod: PodSpec) => {
      const requests = ({ resources }: Container) => of(resources.requests);
      const together = pod.containers.map(requests).reduce((sum, one) => sum + one, 0);
      return Math.max(together, ...(pod.initContainers ?? []).map(requests));
    };
    const total = (of: (requests: { cpu: string; memory: string }) => number) => {
      const requests = workloads.map((one) => requestOf(of, one.spec.template.spec));
      const running = workloads.map((one, at) => replicasOf(one) * requests[at]!);
      const databases = named('Cluster').map(({ spec }) => spec.instances! * of(spec.resources!.requests));
      const spare = Math.max(...requests.filter((_one, at) => workloads[at]!.kind === 'Deployment'));
      return [...running, ...databases, spare].reduce((sum, one) => sum + one, 0);
    };
    const requested = { cpu: total(({ cpu: one }) => processors(one)), memory: total((one) => mebibytes(one.memory)) };
    const count = Number(nodes);
    expect(requested.cpu).toBeLessThanOrEqual(count * (Number(cpu) - reserved.cpu));
    expect(requested.memory).toBeLessThanOrEqual(count * (Number(memory) * 1024 - reserved.memory));
  });
});

it('the overlay of the guide has a namespace of its own, which what it adds goes to', () => {
  expect(images.namespace).toBe(namespaceOf('production'));
});

it('an installation needs no operator but those that the guide names for its overlay', () => {
  const groupsOf = (overlay: string) =>
    new Set(
      objectsOf(overlay)
        .map((one) => (one as unknown as { apiVersion: string }).apiVersion.split('/')[0]!)
        .filter((group) => /\.(com|io)$/.test(group) && !group.endsWith('.k8s.io')),
    );
  const wanted = Object.fromEntries(overlays.map((overlay) => [overlay, [...groupsOf(overlay)]]));
  const none = overlays.filter((overlay) => !/cloudnative-pg|monitoring/.test(overlay));
  for (const overlay of none) expect(wanted[overlay]).toEqual([]);
  expect(wanted['production-cloudnative-pg']).toEqual(['postgresql.cnpg.io']);
  expect(wanted['monitoring']).toEqual(['monitoring.coreos.com']);
});
