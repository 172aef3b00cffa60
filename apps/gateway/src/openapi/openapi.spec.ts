import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { catalogue, v1Endpoints, version } from '#contracts';
import { ToolListing } from '../tool/tool-listing.js';
import { openApiDocument } from './openapi.js';

const { tools } = new ToolListing(catalogue, 'http://localhost/docs');
const source = { tools, catalogue, endpoints: v1Endpoints, publicUrl: 'http://localhost:3000', version };
const text = JSON.stringify(openApiDocument(source));
const document = JSON.parse(text) as {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        requestBody?: { content: Record<string, { example?: object }> };
        responses: Record<string, { content?: object }>;
      }
    >
  >;
};

describe('the OpenAPI document', () => {
  it('is valid to an independent validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text) as Record<string, unknown>);
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  it('describes every tool with its example, and every endpoint of v1, once each', () => {
    for (const { name, contract } of catalogue.values()) {
      const operation = document.paths[`/api/v2/tools/${name}`]!.post!;
      expect(operation.requestBody!.content['application/json']!.example).toEqual(contract.example);
    }
    for (const { method, path } of v1Endpoints) {
      expect(document.paths[`/api/v1${path.replace(/:(\w+)/g, '{$1}')}`]).toHaveProperty(method.toLowerCase());
    }
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to nothing but its components', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!);
    expect(references.filter((to) => !to.startsWith('#/components/'))).toEqual([]);
  });

  it('has a schema for every refusal, which holds for a question too', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const { operationId, responses } of operations) {
      const bare = Object.entries(responses).filter(([, { content }]) => !content);
      expect({ operationId, bare }).toEqual({ operationId, bare: [] });
    }
    const schema = { ...document, $ref: '#/components/schemas/ConfirmationOrFailure' };
    const question = {
      success: false,
      error: 'CONFIRMATION_REQUIRED',
      code: 'CONFIRMATION_REQUIRED',
      message: 'Deletes the tag.',
      action: 'Delete the tag',
      confirmationCode: 12345,
      instruction: 'Repeat it.',
      expiresAt: '2030-01-01T00:00:00.000Z',
    };
    expect(new Ajv2020({ strict: false, validateFormats: false }).compile(schema)(question)).toBe(true);
  });

  it('has the version of the package', () => {
    expect((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version).toBe(version);
  });
});
