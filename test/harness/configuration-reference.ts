import { z } from 'zod';
import { formerNames } from '#service-host';
import { campaignEnvironment } from '../../apps/campaign/src/config.js';
import { catcherEnvironment } from '../../apps/catcher/src/config.js';
import { doctorEnvironment, operatorEnvironment } from '../../apps/cli/src/config.js';
import { deliveryEnvironment } from '../../apps/delivery/src/config.js';
import { domainEnvironment } from '../../apps/domain/src/config.js';
import { gatewayEnvironment } from '../../apps/gateway/src/config.js';
import { subscriberEnvironment } from '../../apps/subscriber/src/config.js';
import { workflowEnvironment } from '../../apps/workflow/src/config.js';
import { referencePage, table } from './reference-text.js';

/** The schema of every process, by the name under which the page lists it. */
const schemas: Record<string, z.ZodType> = {
  gateway: gatewayEnvironment,
  domain: domainEnvironment,
  subscriber: subscriberEnvironment,
  campaign: campaignEnvironment,
  workflow: workflowEnvironment,
  delivery: deliveryEnvironment,
  catcher: catcherEnvironment,
  cli: operatorEnvironment.extend(doctorEnvironment.shape),
};

interface Property {
  type?: string;
  enum?: string[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
  pattern?: string;
}

interface Setting {
  readers: string[];
  range: string;
  fallback: string;
  meaning: string;
}

/** Settings that no schema of a service reads: those of the launcher, compose, Kubernetes and OpenTelemetry. */
export const otherSettings: Record<'launcher' | 'compose' | 'kubernetes' | 'tracing', Record<string, string>> = {
  launcher: {
    LOG_FORMAT: '`pretty` or `json`: how `npm start` writes. Default: `pretty` on a terminal, else `json`.',
    TIDINGS_POSTGRES: 'Provider of PostgreSQL: `url`, `local` or `npm`. Default: the first that works.',
    TIDINGS_NATS: 'Provider of NATS: `url`, `path`, `cache`, `archive` or `apt`. Default: the first that works.',
    TIDINGS_NATS_ARCHIVE_BASE: 'Mirror of the releases of nats-server.',
  },
  compose: {
    POSTGRES_PASSWORD: 'Password of the owner of the database.',
    NATS_TOKEN: 'Token of NATS.',
    SMTP_DOOR: 'Address and port at which the machine publishes the SMTP listener. Default: `127.0.0.1:2525`.',
    SMTP_TLS_FOLDER: 'Folder with the certificate of the SMTP listener, mounted at `/etc/tidings/tls`.',
    HEALTH_PATH: 'Path that the health check of the image requests. Default: `/healthz`.',
    NPMRC_FILE: 'npm settings for the build of the image. They do not enter the image.',
    EXTRA_CA_FILE: 'Further certificates for the build of the image. They do not enter the image.',
  },
  kubernetes: {
    NATS_TOKEN: 'Token of NATS; it begins with a letter.',
  },
  tracing: {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'Collector of traces, if it differs from `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    OTEL_EXPORTER_OTLP_HEADERS: 'Headers for the collector, such as `authorization=…`.',
    OTEL_RESOURCE_ATTRIBUTES: 'Attributes of all traces.',
    OTEL_TRACES_SAMPLER: 'Sampler of traces.',
    OTEL_TRACES_SAMPLER_ARG: 'Argument of the sampler.',
    OTEL_SDK_DISABLED: '`true` turns tracing off.',
  },
};

/** Defaults that the machine decides. */
const machineDefaults: Record<string, string> = { RENDER_THREADS: 'processors' };

function rangeOf({ type, enum: values, minimum, maximum, exclusiveMinimum, format }: Property): string {
  if (values) return values.map((one) => `\`${one}\``).join(', ');
  if (type === 'integer' || type === 'number') {
    const least = minimum ?? (exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`);
    const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
    return [type, [least, most].filter((one) => one !== undefined).join(' to ')].filter(Boolean).join(', ');
  }
  return format === 'uri' ? 'URL' : (type ?? 'text').replace('string', 'text');
}

/** The fields of a schema of the environment; one that transforms its output begins with an object too. */
const shapeOf = (schema: z.core.$ZodType): Record<string, z.core.$ZodType> => {
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in);
  return schema instanceof z.ZodObject ? schema.shape : {};
};

/** JSON Schema leaves out the default of a value that is transformed. */
const defaultOf = (field: z.core.$ZodType | undefined): unknown =>
  field instanceof z.ZodDefault ? field.def.defaultValue : undefined;

function propertiesOf(schema: z.ZodType): { properties: Record<string, Property>; required: string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return { properties, required };
}

function fallbackText(value: unknown, isRequired: boolean): string {
  if (value === undefined) return isRequired ? 'required' : 'none';
  return value === '' ? 'empty' : `\`${String(value)}\``;
}

/** Every setting that a schema reads, by its name. */
export function settings(): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const [reader, schema] of Object.entries(schemas)) {
    const { properties, required } = propertiesOf(schema);
    const shape = shapeOf(schema);
    for (const [name, property] of Object.entries(properties)) {
      const fallback =
        machineDefaults[name] ??
        fallbackText(property.default ?? defaultOf(shape[name]), required.includes(name) && reader !== 'cli');
      const known = found.get(name);
      if (known) {
        known.readers.push(reader);
        known.meaning ||= property.description ?? '';
        if (fallback === 'required') known.fallback = fallback;
      } else {
        found.set(name, { readers: [reader], range: rangeOf(property), fallback, meaning: property.description ?? '' });
      }
    }
  }
  return new Map([...found].sort(([one], [other]) => one.localeCompare(other)));
}

/** Every setting with its default, range and meaning. */
export function configurationPage(): string {
  const rows = [...settings()].map(([name, { fallback, range, meaning, readers }]) => [
    `\`${name}\``,
    fallback,
    range,
    `${meaning} *${readers.join(', ')}*`,
  ]);
  const others = (kind: keyof typeof otherSettings) =>
    table(
      ['setting', 'meaning'],
      Object.entries(otherSettings[kind]).map(([name, meaning]) => [`\`${name}\``, meaning]),
    );
  const former = Object.entries(formerNames).map(([name, { name: old, convert }]) => [
    `\`${old}\``,
    `\`${name}\``,
    convert ? `the unit changed: \`${old}=1000\` means \`${name}=${convert('1000')}\`` : '',
  ]);
  return referencePage({
    title: 'Configuration',
    intro: 'For operators: after reading it you know every setting, its default and its range.',
    from: 'the config schemas',
    sections: [
      'All settings are environment variables. A process that finds a wrong value does not start, and names the variable and the rule. `npm start` provides values for all required settings. Containers and Kubernetes set them in `docker-compose.yml` and the config map.',
      `## Services\n\nThe last words of a meaning name the processes that read the setting.\n\n${table(['setting', 'default', 'range', 'meaning'], rows)}`,
      `## Launcher\n\nOnly \`npm start\` and \`npm run tidings\` read these.\n\n${others('launcher')}`,
      `## Docker Compose\n\nOnly \`docker-compose.yml\` reads these.\n\n${others('compose')}`,
      `## Kubernetes\n\nThe config map or a secret holds these.\n\n${others('kubernetes')}`,
      `## Tracing\n\nOpenTelemetry reads these in every process, and its other variables too.\n\n${others('tracing')}`,
      `## Former names\n\nA former name works for one release and logs a warning. If both names are set to different values, the process does not start.\n\n${table(['former name', 'today', ''], former)}`,
    ],
    next: { title: 'metrics', path: 'metrics.md' },
  });
}
