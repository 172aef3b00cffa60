import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { catalogue, v1Endpoints } from '#contracts';
import type { CatalogueEntry } from '#contracts';
import { parseInput } from '#tool-call';
import type { ToolError } from '#tool-call';
import { implementedCalls } from './harness/service-plans.js';

interface SpecParameter {
  type: string;
  required?: boolean;
  default?: unknown;
  enum?: string[];
}
interface SpecTool {
  name: string;
  area: string;
  /** The API text leaves its parameters open. */
  open?: boolean;
  parameters: Record<string, SpecParameter>;
}
interface OwnTool {
  name: string;
  service: string;
  reason: string;
}
type JsonSchema = { type?: string | string[]; anyOf?: JsonSchema[]; enum?: unknown[]; default?: unknown };

/** Tools beside those of the API text, each with the reason why it exists. */
const ownTools = JSON.parse(readFileSync('test/data/own-tools.json', 'utf8')) as OwnTool[];
const specTools = JSON.parse(readFileSync('test/data/spec-tools.json', 'utf8')) as SpecTool[];
const served = specTools.filter(({ name }) => catalogue.has(name));
const entries = [...catalogue.values()];

const inputSchema = ({ contract }: Pick<CatalogueEntry, 'contract'>) =>
  z.toJSONSchema(contract.input, { io: 'input' }) as { properties?: Record<string, JsonSchema>; required?: string[] };

function typesOf(schema: JsonSchema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(typesOf);
  if (schema.enum) return ['string'];
  return schema.type === undefined ? ['any'] : [schema.type].flat();
}

/** A parameter accepts at least what the API text says; `unknown` there means text or an object as its text says. */
function accepts(schema: JsonSchema, type: string): boolean {
  const types = typesOf(schema);
  if (types.includes('any')) return true;
  if (type === 'unknown') return types.includes('string') || types.includes('object');
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** The text of the spec of a tool: each has a file of its own, with the service that serves it. */
const specOf = ({ service, name }: CatalogueEntry): string =>
  readFileSync(`apps/${service}/test/tools/${name}.spec.ts`, 'utf8');

describe('the catalogue of tools', () => {
  let implemented: Set<string>;
  beforeAll(() => {
    implemented = implementedCalls();
  });
  afterAll(() => {
    const areas = [...new Set(specTools.map(({ area }) => area))].map((area) => {
      const ofArea = specTools.filter((tool) => tool.area === area);
      return `${area} ${ofArea.filter(({ name }) => catalogue.has(name)).length} of ${ofArea.length}`;
    });
    process.stdout.write(
      `Tools of the API text served: ${served.length} of ${specTools.length}: ${areas.join(', ')}\n`,
    );
  });

  it.each(['Tag', 'Segment', 'Analytics', 'Import and export'])('has every tool of the area %s', (area) => {
    const ofArea = specTools.filter((tool) => tool.area === area);
    expect(ofArea.filter(({ name }) => !catalogue.has(name))).toEqual([]);
  });

  it('has the tools of the API text and its own list, each of them in one of both', () => {
    const listed = [...specTools, ...ownTools].map(({ name }) => name);
    expect(new Set(listed).size).toBe(listed.length);
    expect(entries.map(({ name }) => name).sort()).toEqual(listed.sort());
  });

  it('states for each of its own tools the owner and the reason', () => {
    for (const { name, service, reason } of ownTools) {
      expect({ name, service: catalogue.get(name)?.service }).toEqual({ name, service });
      expect({ name, reason }).toEqual({ name, reason: expect.stringMatching(/^[A-Z].{15,}\.$/) });
    }
  });

  it.each(served.map((tool) => [tool.name, tool] as const))('%s takes the parameters of the API text', (name, tool) => {
    const { properties = {}, required = [] } = inputSchema(catalogue.get(name)!);
    const wanted = Object.entries(tool.parameters);
    if (!tool.open) expect(Object.keys(properties).sort()).toEqual(wanted.map(([key]) => key).sort());
    for (const [key, parameter] of wanted) {
      const schema = properties[key]!;
      expect({ key, accepts: accepts(schema, parameter.type) }).toEqual({ key, accepts: true });
      expect({ key, required: required.includes(key) }).toEqual({ key, required: parameter.required ?? false });
      if (parameter.default !== undefined) expect(schema.default).toEqual(parameter.default);
      if (parameter.enum) expect(new Set(schema.enum)).toEqual(new Set(parameter.enum));
    }
  });

  it.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s is described, handled and proven',
    (name, entry) => {
      expect(entry.contract.summary).toMatch(/^[A-Z].*\.$/s);
      expect(implemented.has(name)).toBe(true);
      const spec = specOf(entry);
      expect(spec).toMatch(new RegExp(`describe(?:\\.each\\(layouts\\))?\\('${name}[',]`));
      for (const reason of entry.contract.errors)
        expect({ reason, asserted: spec.includes(reason) }).toEqual({ reason, asserted: true });
    },
  );

  it.each(entries.map((entry) => [entry.name, entry] as const))(
    '%s refuses unknown parameters, and each missing required one',
    (_name, { contract }) => {
      const problems = (body: object) => {
        try {
          parseInput(contract.input, body);
          return [];
        } catch (error) {
          return (error as ToolError).issues!.map(({ path, message }) => ({ path, message }));
        }
      };
      expect(problems(contract.example)).toEqual([]);
      expect(problems({ ...contract.example, 'no such thing': 1 })).toEqual([
        { path: ['no such thing'], message: expect.stringMatching(/^unknown parameter/) },
      ]);
      for (const key of inputSchema({ contract }).required ?? []) {
        const { [key]: _left, ...rest } = contract.example;
        expect(problems(rest)).toEqual([{ path: [key], message: 'is required' }]);
      }
    },
  );

  it('has an item type for every array, as strict validators demand', () => {
    for (const entry of entries) {
      expect(arraysWithout('items', inputOf(entry.contract.input), entry.name)).toEqual([]);
      expect(arraysWithout('items', z.toJSONSchema(entry.contract.output), entry.name)).toEqual([]);
    }
  });

  it('bounds every list that it takes, so that no body keeps a gateway busy: each wrong row costs, in 5 MB of them', () => {
    const unbounded = [
      ...entries.flatMap(({ name, contract }) => arraysWithout('maxItems', inputOf(contract.input), name)),
      ...v1Endpoints.flatMap(({ name, parameters }) => arraysWithout('maxItems', inputOf(parameters), name)),
    ];
    expect(unbounded).toEqual([]);
  });
});

const inputOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });

function arraysWithout(keyword: 'items' | 'maxItems', schema: unknown, path: string): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const { type, [keyword]: said } = schema as { type?: unknown; items?: unknown; maxItems?: unknown };
  const here = type === 'array' && said === undefined ? [path] : [];
  return [
    ...here,
    ...Object.entries(schema).flatMap(([key, inner]) => arraysWithout(keyword, inner, `${path}.${key}`)),
  ];
}
