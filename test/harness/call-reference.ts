import { z } from 'zod';
import {
  catalogue,
  events,
  generalReasons,
  reasons,
  statusOfCode,
  toolReference,
  v1Endpoints,
  v1Reference,
} from '#contracts';
import type { ErrorCode, Reason } from '#contracts';
import { codes, referencePage, table } from './reference-text.js';

const withoutTitle = (markdown: string): string => markdown.split('\n').slice(1).join('\n').trim();

/** Every tool, from the contracts. */
export const toolsPage = (): string =>
  referencePage({
    title: 'Tools',
    intro:
      'For developers who call tools over HTTP or MCP: after reading a section you know the parameters, rules and refusals of a tool.',
    from: 'the contracts',
    sections: [withoutTitle(toolReference())],
    next: { title: 'v1', path: 'v1.md' },
  });

/** Every endpoint of v1, from the contracts. */
export const v1Page = (): string =>
  referencePage({
    title: 'v1',
    intro:
      'For developers of clients that use paths under `/api/v1`: after reading a section you know the parameters and refusals of an endpoint.',
    from: 'the contracts',
    sections: [withoutTitle(v1Reference()).replaceAll('\n### ', '\n## ')],
    next: { title: 'events', path: 'events.md' },
  });

/** Placeholder of a parameter: its name in braces, also as a part of a text, in a list and behind a property. */
function placeholder(name: string): unknown {
  const text = `{${name}}`;
  return new Proxy(() => text, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? Number.NaN : text);
      if (key === 'length') return 1;
      if (key === 'join') return () => text;
      return placeholder(`${name}.${String(key)}`);
    },
  });
}

/** The sentence of a refusal with the names of its parameters in braces. */
export function sentenceOf(reason: Reason): string {
  const parameters = new Proxy(
    { id: undefined },
    {
      get: (_, key) => (reason === 'QUOTA_REACHED' && key === 'quota' ? 'contacts' : placeholderOf(String(key))),
    },
  );
  const message = reasons[reason].message as (from: unknown) => unknown;
  return String(message(parameters)).replaceAll('NaN', '{n}');
}

/** Optional parameters are absent, so that the default sentence shows. */
const placeholderOf = (name: string): unknown =>
  ['by', 'internal', 'pausedReason'].includes(name) ? undefined : placeholder(name);

const sayings = (reason: Reason): string => {
  const text = sentenceOf(reason);
  return text === '{summary}' ? 'Names each problem with its place.' : text;
};

/** Every refusal by its class, and which calls declare it. */
export function errorsPage(): string {
  const callers = new Map<Reason, string[]>();
  const add = (reason: Reason, name: string) => callers.set(reason, [...(callers.get(reason) ?? []), name]);
  for (const { name, contract } of catalogue.values()) for (const one of contract.errors) add(one, name);
  for (const { method, path, errors } of v1Endpoints) for (const one of errors) add(one, `${method} /api/v1${path}`);
  const declared = (reason: Reason): string => {
    if (generalReasons.includes(reason)) return 'any call';
    const names = callers.get(reason) ?? [];
    return names.length > 8 ? `${codes(names.slice(0, 6))} and ${names.length - 6} more` : codes(names);
  };
  const classes = Object.entries(statusOfCode) as [ErrorCode, number][];
  const sections = classes.map(([code, status]) => {
    const members = (Object.keys(reasons) as Reason[]).filter((one) => reasons[one].code === code);
    const rows = members.map((one) => [`\`${one}\``, sayings(one), declared(one)]);
    return rows.length > 0
      ? `## ${code} (${status})\n\n${table(['reason', 'message', 'declared by'], rows)}`
      : `## ${code} (${status})\n\nThe gateway returns this class itself; it has no reasons.`;
  });
  return referencePage({
    title: 'Errors',
    intro:
      'For developers who handle refusals: after reading it you know the HTTP status, the reason and the message of each.',
    from: 'the contracts',
    sections: [
      'A failed call returns `code` (the class, with its HTTP status), `reason` and `message`. Names in braces stand for values of the call. If the last column is empty, the gateway or the operator’s command returns the reason.',
      table(
        ['code', 'HTTP status'],
        classes.map(([code, status]) => [`\`${code}\``, String(status)]),
      ),
      ...sections,
    ],
    next: { title: 'configuration', path: 'configuration.md' },
  });
}

type Property = {
  type?: string | string[];
  anyOf?: Property[];
  enum?: unknown[];
  const?: unknown;
  properties?: object;
};

function typeText({ type, anyOf, enum: values, const: value, properties }: Property): string {
  if (values) return codes(values.map(String));
  if (value !== undefined) return `\`${String(value)}\``;
  if (anyOf) return [...new Set(anyOf.map(typeText))].join(' or ');
  if (properties) return `object of ${codes(Object.keys(properties))}`;
  return type === undefined ? 'any' : [type].flat().join(' or ');
}

const publishers: Record<string, string> = {
  unsubscription: 'gateway',
  message: 'delivery',
  send: 'delivery',
  run: 'workflow',
  webhook: 'workflow',
};

/** Every event between services. @param consumers the services that handle an event, by its name */
export function eventsPage(consumers: ReadonlyMap<string, readonly string[]>): string {
  const sections = Object.entries(events).map(([name, schema]) => {
    const {
      description = '',
      properties = {},
      required = [],
    } = z.toJSONSchema(schema) as {
      description?: string;
      properties?: Record<string, Property>;
      required?: string[];
    };
    const rows = Object.entries(properties).map(([key, property]) => [
      `\`${key}\``,
      typeText(property),
      required.includes(key) ? '' : 'optional',
    ]);
    const from = publishers[name.split('.')[0]!] ?? 'subscriber';
    const to = consumers.get(name) ?? [];
    return `## ${name}\n\n${description}\n\nPublished by ${from}. ${to.length > 0 ? `Consumed by ${to.join(', ')}.` : 'No service consumes it.'}\n\n${table(['field', 'type', ''], rows)}`;
  });
  return referencePage({
    title: 'Events',
    intro:
      'For contributors who publish or consume events between services: after reading it you know the payload of each.',
    from: 'the contracts',
    sections: [
      'Events travel over NATS JetStream. Each has an id of its own and the id of its organization. The [tools](tools.md) describe the events of a subscriber’s history (`list_subscriber_events`).',
      'A process skips an event whose name it does not know. A new event is therefore published only once all live replicas of its consumers know it: `messages.settled` and `send.started` wait for the feature `messages.settled`, and until then a campaign publishes `message.sent` and `message.delivered`. Before you return to a version without it, disable the feature and wait until all lanes are applied.',
      ...sections,
    ],
    next: { title: 'errors', path: 'errors.md' },
  });
}
