import { beforeAll, describe, expect, it } from '@jest/globals';
import { configs } from '../../src/rules/graph/step-config.js';
import type { StepType } from '../../src/rules/graph/graph.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

interface Schema {
  type: StepType;
  config: { type?: string; oneOf?: object[]; anyOf?: object[] };
  branches: string[] | null;
  example: Record<string, unknown>;
}

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('get_step_schemas', () => {
  const schemas = async (types: string[] = []) =>
    (await fixture.harness.data<{ steps: Schema[] }>('get_step_schemas', { types }, fixture.tenant)).steps;

  it('describes every step type, each with an example that its rules accept', async () => {
    const steps = await schemas();
    expect(steps.map(({ type }) => type)).toEqual(Object.keys(configs));
    for (const { type, config, example } of steps) {
      expect({ type, success: configs[type].safeParse(example).success }).toEqual({ type, success: true });
      expect(config.type === 'object' || (config.oneOf ?? config.anyOf)!.length > 1).toBe(true);
    }
  });

  it('names in the schemas the words that a config may have', async () => {
    const [trigger, wait] = await schemas(['TRIGGER', 'WAIT']);
    expect(JSON.stringify(trigger!.config)).toContain('"enum":["TAG_ADDED"');
    expect(JSON.stringify(wait!.config)).toContain('"enum":["MINUTES","HOURS","DAYS","WEEKS"]');
  });

  it('is the same for another organization, since it holds no data of any', async () => {
    expect(await fixture.harness.data('get_step_schemas', {}, fixture.otherTenant)).toEqual({ steps: await schemas() });
    expect(await fixture.refusal('get_step_schemas', { types: ['LOOP'] })).toBe('PARAMETERS_INVALID');
  });
});
