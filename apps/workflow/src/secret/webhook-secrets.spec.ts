import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '#link-token';
import type { Graph } from '../rules/graph/graph.js';
import { WebhookSecrets } from './webhook-secrets.js';

const secretsUnder = (masterKey: string) => new WebhookSecrets(new SecretBox(masterKey.repeat(32), 'webhook-secrets'));
const owner = { organizationId: 'org_1', workflowId: 'wf_1' };
const graphOf = (id: string, config: object) =>
  ({ steps: [{ id, type: 'ACTION', config }], edges: [] }) as unknown as Graph;
const config = { kind: 'WEBHOOK', url: 'https://example.com/', secret: 'shh', headers: { 'X-Own': 'mine' } };

describe('the secrets of a graph', () => {
  const ours = secretsUnder('a1');
  const sealed = ours.seal(owner, graphOf('h', config));
  const [stored] = sealed.steps.map((step) => step.config as { secret: { sealed: string } });

  it('come out of their seal as they went in, and a sealed graph stays as it is', () => {
    expect(ours.open(owner, sealed)).toEqual(graphOf('h', config));
    expect(ours.seal(owner, sealed)).toEqual(sealed);
    expect(JSON.stringify(sealed)).not.toMatch(/shh|mine|X-Own/);
  });

  it('open for no other organization, workflow, step or master key', () => {
    expect(() => ours.open({ ...owner, organizationId: 'org_2' }, sealed)).toThrow();
    expect(() => ours.open({ ...owner, workflowId: 'wf_2' }, sealed)).toThrow();
    expect(() => ours.open(owner, graphOf('other', stored!))).toThrow();
    expect(() => secretsUnder('b2').open(owner, sealed)).toThrow(/another MASTER_KEY/);
  });

  it('cannot be signed with by a process that takes the stored value for the secret', () => {
    expect(() => createHmac('sha256', stored!.secret as never)).toThrow(/must be of type/);
  });
});
