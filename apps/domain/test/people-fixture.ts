import { afterAll, beforeAll } from '@jest/globals';
import { approvalRequests, catalogue, domainRequests, rightsOf } from '#contracts';
import type { Role } from '#contracts';
import { requestHash } from '#tool-call';
import type { Caller, Description, Outcome } from '#tool-call';
import { uuidOf } from '#database';
import { Outbox } from '#events';
import { SecretBox } from '#link-token';
import { Harness } from '../../../test/harness/harness.js';
import { testMasterKey } from '../../../test/harness/service-plans.js';
import { ApprovalService } from '../src/approval/approval.service.js';
import { KeyWrap } from '../src/dkim-key/dkim-key.js';
import { repositoriesOn } from '../src/repositories.js';
import type { Repositories, Seals } from '../src/repositories.js';
import { UserRepository } from '../src/user/user.repository.js';
import { MemberRepository } from '../src/member/member.repository.js';

/** A member of an organization, and the caller that the gateway makes of their session. */
export interface TestMember {
  id: string;
  email: string;
  caller: Partial<Caller>;
}

/** All services, with an organization and its owner, and another organization's owner. */
export class PeopleFixture {
  harness!: Harness;
  ours!: { organizationId: string };
  theirs!: { organizationId: string };
  owner!: TestMember;
  stranger!: TestMember;
  #count = 0;

  async open(): Promise<void> {
    const harness = await Harness.start();
    const organization = async (name: string): Promise<{ organizationId: string }> => {
      const caller = harness.caller({ organizationId: '' });
      const made = await harness.client(domainRequests).create_organization({ name }, caller);
      return { organizationId: made.organization.id };
    };
    await this.openOn(harness, await organization('Ours'), await organization('Theirs'));
  }

  /** The same on services that run already. */
  async openOn(harness: Harness, ours: { organizationId: string }, theirs: { organizationId: string }): Promise<void> {
    this.harness = harness;
    this.ours = ours;
    this.theirs = theirs;
    this.owner = await this.member('owner');
    this.stranger = await this.member('owner', this.theirs);
  }

  /** Makes a user who is a member in a role. */
  async member(role: Role, { organizationId } = this.ours): Promise<TestMember> {
    const { manager } = this.harness.dataSource('domain');
    const email = `${role}${(this.#count += 1)}@example.com`;
    const facts = { email, emailKey: email, name: `The ${role}`, passwordHash: 'none', operator: false };
    const { id } = (await new UserRepository(manager).insert(facts))!;
    await new MemberRepository(manager).insert(organizationId, id, role);
    const { scopes, asks } = rightsOf[role];
    return { id, email, caller: { actor: { kind: 'USER', id }, scopes, asks } };
  }

  /** Makes an owner who is an operator of the installation. */
  async operator(): Promise<TestMember> {
    const member = await this.member('owner');
    await this.repositories.users.update(member.id, { operator: true });
    return member;
  }

  /** The repositories of the domain service, outside a transaction. */
  get repositories(): Repositories {
    return repositoriesOn(this.harness.dataSource('domain').manager, seals());
  }

  /** Calls a tool as a member of our organization, or of theirs. */
  async as(member: TestMember, tool: string, input: object, tenant = this.ours): Promise<Outcome> {
    return await this.harness.call(tool, input, tenant, member.caller);
  }

  /** The reason why a call is refused. */
  async refusal(member: TestMember, tool: string, input: object, tenant = this.ours): Promise<string> {
    const outcome = await this.as(member, tool, input, tenant);
    if (outcome.ok) throw new Error(`${tool} was expected to refuse`);
    return outcome.error.reason ?? outcome.error.code;
  }

  /** The data of a call that must succeed. */
  async data<D>(member: TestMember, tool: string, input: object): Promise<D> {
    const outcome = await this.as(member, tool, input);
    if (!outcome.ok) throw new Error(`${tool}: ${outcome.error.message}`);
    return outcome.data as D;
  }

  /** Asks for the approval of a call, as the gateway would. @returns the approval's id */
  async askFor({ id, caller: own }: TestMember, tool: string, given: object): Promise<string> {
    const { service, contract } = catalogue.get(tool)!;
    const parameters = contract.input.parse(given);
    const caller = this.harness.caller(this.ours, { ...own, forApproval: true });
    const described = await this.harness.bus.request('describe', { service, name: tool }, parameters, caller);
    if (!described.ok) throw new Error(`${tool}: ${described.error.message}`);
    const actor = { kind: own.actor?.kind === 'TOKEN' ? ('TOKEN' as const) : ('USER' as const), id };
    const call = { actor, requestHash: requestHash(this.ours.organizationId, id, tool, parameters), callId: null };
    const asked = { ...call, tool, parameters, ...(described.data as Description) };
    return (await this.harness.client(approvalRequests).ask_approval(asked, caller)).approval.id;
  }

  /** Asks for the deletion of a tag, or of what its caller names, as it was before it was described. */
  async ask(member: TestMember, name: string, tool = 'delete_tag'): Promise<string> {
    const listed = await this.as(this.owner, 'list_tags', {});
    const { tags } = (listed.ok ? listed.data : { tags: [] }) as { tags: { name: string }[] };
    if (tool === 'delete_tag' && tags.some((tag) => tag.name === name))
      return await this.askFor(member, tool, { name });
    const actor = { kind: 'USER' as const, id: member.id };
    const call = { actor, requestHash: `${tool} ${name}`, callId: null };
    const asked = { ...call, tool, parameters: { name }, action: 'Delete the tag', message: `Deletes ${name}.` };
    const caller = this.harness.caller(this.ours);
    return (await this.harness.client(approvalRequests).ask_approval(asked, caller)).approval.id;
  }

  /** Runs the job that carries out approved calls of ended processes. @returns how many */
  async resumeApprovals(): Promise<number> {
    const { manager } = this.harness.dataSource('domain');
    const { repositories } = this;
    return await new ApprovalService({
      repositories,
      inTransaction: (work) =>
        manager.transaction(async (within) => {
          const outbox = new Outbox('domain');
          const done = await work(repositoriesOn(within, seals()), outbox);
          await outbox.flush(within);
          return done;
        }),
      bus: this.harness.bus,
    }).resume();
  }

  /** Ends the day in which an approval may be decided. */
  async expire(approvalId: string): Promise<void> {
    await this.harness
      .dataSource('domain')
      .query(`update approval set expires_at = now() - interval '1 second' where approval_id = $1`, [
        uuidOf('apr', approvalId),
      ]);
  }
}

function seals(): Seals {
  const key = testMasterKey();
  return {
    keys: new KeyWrap(key),
    approvals: new SecretBox(key, 'approvals'),
    factors: new SecretBox(key, 'second-factors'),
  };
}

/** Opens the fixture of a spec from before its first test until after its last. */
export function openPeople(): PeopleFixture {
  const fixture = new PeopleFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.harness.stop());
  return fixture;
}
