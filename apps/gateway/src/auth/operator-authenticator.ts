import type { FastifyRequest } from 'fastify';
import type { OrganizationFacts } from '#contracts';
import type { OperatorPasses } from '#link-token';
import { ToolError } from '#tool-call';
import { callerOfOperator } from './caller-facts.js';
import type { CallerFacts } from './caller-facts.js';

export interface Organizations {
  get(organizationId: string): Promise<OrganizationFacts>;
  list(): Promise<OrganizationFacts[]>;
}

const namedMax = 20;

export class OperatorAuthenticator {
  constructor(
    private readonly passes: OperatorPasses,
    private readonly organizations: Organizations,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The operator in the organization that the header Tidings-Organization names, or in the only one.
   * @param concernsInstallation whether the call belongs to no organization: without the header it counts as made in the
   * first one, whose audit log names it
   * @throws ToolError TOKEN_REFUSED, ORGANIZATION_REQUIRED, ORGANIZATION_NOT_FOUND
   */
  async authenticate(request: FastifyRequest, pass: string, concernsInstallation: boolean): Promise<CallerFacts> {
    if (!isDirectLoopback(request) || !this.passes.verify(pass, new Date(this.now())))
      throw new ToolError('TOKEN_REFUSED', {});
    return callerOfOperator(await this.#organization(request.headers['tidings-organization'], concernsInstallation));
  }

  async #organization(named: string | string[] | undefined, concernsInstallation: boolean): Promise<OrganizationFacts> {
    if (typeof named === 'string' && named.startsWith('org_')) return await this.organizations.get(named.slice(0, 100));
    const all = await this.organizations.list();
    if (named === undefined && all[0] && (concernsInstallation || all.length === 1)) return all[0];
    if (typeof named !== 'string')
      throw new ToolError('ORGANIZATION_REQUIRED', {
        organizations: all.slice(0, namedMax).map(({ number }) => String(number)),
      });
    const found = all.find(({ number }) => String(number) === named);
    if (!found) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: named.slice(0, 100) });
    return found;
  }
}

const loopback = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;
const forwarding = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Whether a request comes from this machine itself and not through a proxy on it. */
export const isDirectLoopback = ({ raw: { socket, headers } }: Pick<FastifyRequest, 'raw'>): boolean =>
  loopback.test(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => forwarding.test(name));
