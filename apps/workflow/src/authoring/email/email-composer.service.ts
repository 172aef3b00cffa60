import type { ServiceBus } from '#bus';
import { joinLines } from '#content';
import { campaignRequests, campaignTools, domainRequests } from '#contracts';
import type { Issue, SenderFacts } from '#contracts';
import { newId } from '#database';
import { parseAddress } from '#email-address';
import { RemoteFailure, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { isType } from '../../rules/graph/graph.js';
import type { Graph, Step } from '../../rules/graph/graph.js';
import { aboutStep } from '../../rules/graph/read-graph.js';
import type { GraphWarning } from '../../rules/graph/read-graph.js';
import type { WorkflowEmail } from '../../rules/email.js';
import type { EmailRepository } from './email.repository.js';

type EmailStep = Extract<Step, { type: 'EMAIL' }>;
const contentRefusals = ['CONTENT_INVALID', 'SNIPPET_NOT_FOUND', 'FILTER_TARGET_GONE'];

export interface DraftEmails {
  emails: WorkflowEmail[];
  issues: Issue[];
  warnings: GraphWarning[];
}

export class EmailComposer {
  constructor(private readonly parts: { emails: EmailRepository; bus: ServiceBus }) {}

  /**
   * Creates an email of this workflow for each EMAIL step, and reduces the step's config to its id. An id that names no
   * campaign, email or sender of the organization is an issue at its place.
   */
  async collect(workflowId: string, graph: Graph, caller: Caller): Promise<DraftEmails> {
    const own = await this.parts.emails.listOfWorkflow(caller.organizationId, workflowId);
    const ofStep = new Map(own.map((email) => [email.stepId, email.id]));
    const collected: DraftEmails = { emails: [], issues: [], warnings: [] };
    for (const [place, step] of graph.steps.entries()) {
      if (!isType(step, 'EMAIL')) continue;
      const { config } = step;
      const wanted = config.campaignId !== undefined && config.content === undefined;
      const at = { path: ['steps', place, 'config'], about: aboutStep(step) };
      const unknown = (key: string, message: string) =>
        collected.issues.push({ path: [...at.path, key], message: `${at.about}: ${message}` });
      const base = wanted ? await this.#source(config.campaignId!, caller) : null;
      if (wanted && !base) {
        unknown(
          'campaignId',
          `no campaign or workflow email of this organization is "${config.campaignId}"; list_campaigns and get_workflow list them`,
        );
        continue;
      }
      const taken = new Set(collected.emails.map(({ id }) => id));
      // An email of this workflow keeps its id; a rewritten step keeps the email it had.
      const known = base ? (base.workflowId === workflowId ? base.id : undefined) : ofStep.get(step.id);
      const id = known !== undefined && !taken.has(known) ? known : newId('cmp');
      const email = this.#email(step, base, id, at, collected.issues);
      if (!email) continue;
      if (email.senderId !== null && !(await this.#hasSender(email.senderId, caller)))
        unknown('senderId', `no sender of this organization is "${email.senderId}"; get_email_senders lists them`);
      await this.#compile(email, at, collected, caller);
      collected.emails.push(email);
      step.config = { campaignId: id };
    }
    return collected;
  }

  async #source(
    id: string,
    caller: Caller,
  ): Promise<(Omit<WorkflowEmail, 'stepId'> & { workflowId: string | null }) | null> {
    const [email] = await this.parts.emails.listByIds(caller.organizationId, [id]);
    if (email) return email;
    try {
      const { campaign } = await this.parts.bus.client(campaignTools).get_campaign({ campaignId: id }, caller);
      return { ...campaign, workflowId: null };
    } catch (error) {
      if (error instanceof RemoteFailure && error.failure.reason === 'CAMPAIGN_NOT_FOUND') return null;
      throw error;
    }
  }

  #email(
    { id: stepId, config }: EmailStep,
    base: Omit<WorkflowEmail, 'stepId'> | null,
    id: string,
    { path, about }: { path: Issue['path']; about: string },
    issues: Issue[],
  ): WorkflowEmail | null {
    const tell = (key: string, message: string) =>
      issues.push({ path: [...path, key], message: `${about}: ${message}` });
    const subject = joinLines(config.subject ?? base?.subject ?? '');
    if (subject === '') tell('subject', 'missing subject');
    const content = config.content ?? base?.content;
    if (content === undefined) tell('content', 'missing content: give content, or the campaignId of an email');
    const replyTo = (config.replyTo === undefined ? base?.replyTo : config.replyTo) || null;
    const address = replyTo === null ? null : parseAddress(replyTo);
    if (address && !address.ok) tell('replyTo', `the address ${address.reason}`);
    if (subject === '' || content === undefined || address?.ok === false) return null;
    return {
      id,
      stepId,
      subject,
      content,
      replyTo,
      preview: joinLines((config.preview === undefined ? base?.preview : config.preview) ?? '') || null,
      contentType:
        config.contentType ??
        base?.contentType ??
        (typeof content === 'string' && !/^\s*[{[]/.test(content) ? 'MARKDOWN' : 'MAILY'),
      senderId: (config.senderId === undefined ? base?.senderId : config.senderId) ?? null,
    };
  }

  /** Parses and compiles an email, so that every saved email can be sent; its content is stored as it was read. */
  async #compile(
    email: WorkflowEmail,
    { path, about }: { path: Issue['path']; about: string },
    { issues, warnings }: DraftEmails,
    caller: Caller,
  ): Promise<void> {
    try {
      const compiled = await this.compile(email, caller);
      email.content = compiled.content;
      warnings.push(
        ...compiled.warnings.map(({ message }) => ({ stepId: email.stepId, message: `${about}: ${message}` })),
      );
    } catch (error) {
      if (!(error instanceof RemoteFailure) || !contentRefusals.includes(error.failure.reason ?? '')) throw error;
      const reported = error.failure.issues ?? [{ path: ['content'], message: error.message }];
      issues.push(
        ...reported.map((issue) => ({ path: [...path, ...issue.path], message: `${about}: ${issue.message}` })),
      );
    }
  }

  compile({ subject, preview, content, contentType }: WorkflowEmail, caller: Caller) {
    return this.parts.bus.client(campaignRequests).compile_mail({ subject, preview, content, contentType }, caller);
  }

  async #hasSender(senderId: string, caller: Caller): Promise<boolean> {
    return (await this.parts.bus.client(domainRequests).get_sender({ senderId }, caller)).sender !== null;
  }

  async senderFor({ senderId }: WorkflowEmail, caller: Caller): Promise<SenderFacts> {
    const { sender } = await this.parts.bus.client(domainRequests).get_sender({ senderId, use: true }, caller);
    if (!sender) throw new ToolError('SENDER_MISSING', {});
    if (sender.domainStatus !== 'VERIFIED') throw new ToolError('SENDER_DOMAIN_UNVERIFIED', { domain: sender.domain });
    return sender;
  }
}
