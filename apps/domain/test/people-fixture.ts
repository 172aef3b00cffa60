import { afterAll, beforeAll } from '@jest/globals';
import { approvalRequests, domainRequests, rightsOf } from '#contracts';
import type { Role } from '#contracts';
import type { Caller, Outcome } from '#tool-call';
import { uuidOf } from '#database';
import { SecretBox } from '#link-token';
import { Harness } from '../../../test/harness/harness.js';
import { testMasterKey } from '../../../test/harness/service-plans.js';
import { ApprovalService } from '../src/approval/approval.service.js';
import { KeyWrap } from '../src/dkim-key/dkim-key.js';
import { repositoriesOn } from '../src/repositories.js';
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
    this.harness = await Harness.start();
    this.ours = await this.#organization('Ours');
    this.theirs = await this.#organization('Theirs');
    this.owner = await this.member('owner');
    this.stranger = await this.member('owner', this.theirs);
  }

  async #organization(name: string): Promise<{ organizationId: string }> {
    const caller = this.harness.caller({ organizationId: '' });
    const { organization } = await this.harness.client(domainRequests).create_organization({ name }, caller);
    return { organizationId: organization.id };
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

  /** Asks for the approval of a call that deletes a tag. @returns the approval's id */
  async ask({ id }: TestMember, name: string, tool = 'delete_tag'): Promise<string> {
    const call = { actor: { kind: 'USER' as const, id }, requestHash: `${tool} ${name}`, callId: null };
    const asked = { ...call, tool, parameters: { name }, action: 'Delete the tag', message: `Deletes ${name}.` };
    const caller = this.harness.caller(this.ours);
    return (await this.harness.client(approvalRequests).ask_approval(asked, caller)).approval.id;
  }

  /** Runs the job that carries out approved calls of ended processes. @returns how many */
  async resumeApprovals(): Promise<number> {
    const { manager } = this.harness.dataSource('domain');
    const key = testMasterKey();
    const seals = { keys: new KeyWrap(key), approvals: new SecretBox(key, 'approvals') };
    const repositories = repositoriesOn(manager, seals);
    return await new ApprovalService({
      repositories,
      inTransaction: (work) => manager.transaction((within) => work(repositoriesOn(within, seals))),
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

/** Opens the fixture of a spec from before its first test until after its last. */
export function openPeople(): PeopleFixture {
  const fixture = new PeopleFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.harness.stop());
  return fixture;
}
