import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller } from '#bus';
import { allScopes, catalogue, roles, scopeOf, sessionRequests } from '#contracts';
import type { CatalogueEntry, Role, Scope } from '#contracts';
import { ToolsClient } from '../e2e/client.js';
import { useFixture } from '../harness/use-fixture.js';
import { Browser } from './browser.js';
import { ApiFixture } from './surface.js';

/** The table of roles of the contract, written out apart from the code. */
const scopesOf: Record<Role, readonly Scope[]> = {
  viewer: ['read'],
  editor: ['read', 'write', 'test'],
  approver: ['read', 'write', 'test', 'send', 'approve'],
  admin: ['read', 'write', 'test', 'send', 'approve', 'admin'],
  owner: ['read', 'write', 'test', 'send', 'approve', 'admin'],
};
const password = 'correct horse battery staple';
const atOnce = 6;

/** What a caller may do with a tool: call it, have it approved by another member, or neither. */
type Right = 'calls' | 'asks' | 'refused';
interface Answer {
  status: number;
  body: Record<string, unknown>;
}
interface Caller {
  name: string;
  right(entry: CatalogueEntry): Right;
  call(tool: string, body: object): Promise<Answer>;
}

/** Reasons of a refusal for what the caller is, whatever the call says. */
const refusals = ['ROLE_TOO_LOW', 'TOKEN_SCOPE_MISSING', 'USER_REQUIRED'];

describe('the matrix of roles and tools', () => {
  const surface = useFixture(() => ApiFixture.start());
  const entries = [...catalogue.values()];
  const callers = new Map<string, Caller>();
  const counts: Record<string, Record<Right, number>> = {};

  const rightOfRole =
    (role: Role) =>
    ({ contract }: CatalogueEntry): Right => {
      if (contract.operatorOnly) return 'refused';
      // The scope of the example, which is the lighter one for harmless calls.
      const scope = scopeOf(contract, contract.example);
      if (scopesOf[role].includes(scope)) return 'calls';
      return role === 'editor' && scope === 'send' ? 'asks' : 'refused';
    };
  const rightOfScope =
    (held: Scope) =>
    ({ contract }: CatalogueEntry): Right => {
      // The scope of a tool permits its harmless calls too.
      const scopes = [contract.scope, scopeOf(contract, contract.example)];
      const isHeld = scopes.includes(held) || (scopes.includes('test') && held === 'send');
      return isHeld && !contract.userOnly && !contract.operatorOnly ? 'calls' : 'refused';
    };

  beforeAll(async () => {
    const { organizationId } = await surface.customer('Bakery');
    await surface.limit(organizationId, 1_000_000);
    const { token } = await surface.harness.client(sessionRequests).issue_setup_link({}, serviceCaller('', 'spec'));
    const operator = new Browser(surface.url);
    await operator.send('POST', '/api/session/setup', { token, email: 'olga@example.com', name: 'Olga', password });
    for (const role of roles) {
      const { link } = await surface.harness.bus.without('delivery', () =>
        operator.data<{ link: string }>('invite_member', { email: `${role}@example.com`, role }),
      );
      const page = new Browser(surface.url);
      await page.send('POST', '/api/session/invitation', { token: link.split('#')[1], name: role, password });
      const call = (tool: string, body: object) => page.call(tool, body);
      callers.set(role, { name: role, right: rightOfRole(role), call });
    }
    for (const scope of allScopes.filter((one) => one !== 'approve')) {
      const client = new ToolsClient(surface.url, await surface.token(organizationId, { scopes: [scope] }));
      const call = (tool: string, body: object) => client.call(tool, body);
      callers.set(`token ${scope}`, { name: `token ${scope}`, right: rightOfScope(scope), call });
    }
  });

  /** Calls a tool that is refused or asks with its example, others with an empty body. @returns what is wrong, else null */
  async function problemOf(caller: Caller, entry: CatalogueEntry): Promise<string | null> {
    const right = caller.right(entry);
    (counts[caller.name] ??= { calls: 0, asks: 0, refused: 0 })[right] += 1;
    const { status, body } = await caller.call(entry.name, right === 'calls' ? {} : entry.contract.example);
    const reason = (body.reason ?? body.code ?? body.error) as string;
    const answer = `${caller.name} ${entry.name} (${right}): ${status} ${reason}`;
    const isRefused = status === 403 && refusals.includes(reason);
    if (right === 'refused') return isRefused ? null : answer;
    if (reason === 'RATE_LIMIT_REACHED' || status >= 500 || isRefused) return answer;
    return right === 'asks' && status === 200 ? answer : null;
  }

  it.each([...roles, ...allScopes.filter((one) => one !== 'approve').map((scope) => `token ${scope}`)])(
    '%s reaches no tool beyond its rights, and every one within them',
    async (name) => {
      const caller = callers.get(name)!;
      const problems: (string | null)[] = [];
      for (let at = 0; at < entries.length; at += atOnce)
        problems.push(...(await Promise.all(entries.slice(at, at + atOnce).map((one) => problemOf(caller, one)))));
      expect(problems.filter((problem) => problem !== null)).toEqual([]);
      const { calls, asks, refused } = counts[name]!;
      process.stdout.write(`${name}: ${calls} calls, ${asks} ask, ${refused} refused, 0 beyond its rights\n`);
      expect(calls + asks + refused).toBe(entries.length);
    },
  );

  it('asks for every tool that sends, as a form that only describes', () => {
    const sending = entries.filter(({ contract }) => scopeOf(contract, contract.example) === 'send');
    expect(counts.editor?.asks).toBe(sending.length);
  });
});
