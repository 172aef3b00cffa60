import { readFileSync } from 'node:fs';
import { copySubscribers, SmtpSink, TestSystem } from '#testing';
import { environment } from '../report.js';

const processes = ['domain', 'subscriber', 'campaign', 'workflow', 'delivery', 'gateway'];
export const owner = { name: 'Ada Lovelace', email: 'ada@bench.internal', password: 'correct horse battery' };

interface Answer {
  success: boolean;
  data?: unknown;
  error?: string;
  code?: string;
  confirmationCode?: number;
}

/** The real system with an owner and people, and a relay that takes all mail. */
export class Installation {
  private constructor(
    readonly system: TestSystem,
    private readonly sink: SmtpSink,
  ) {}

  static async open(size: number, settings: Record<string, string> = {}): Promise<Installation> {
    const sink = await SmtpSink.start({ forget: true });
    const system = await TestSystem.start({
      ...environment(),
      environment: { SMTP_URL: sink.url, ...settings },
      processes,
    });
    const installation = new Installation(system, sink);
    const token = system.processes.find(({ name }) => name === 'domain')!.facts.setupToken;
    await installation.#post('/api/session/setup', { token, ...owner }, { 'sec-fetch-site': 'same-origin' });
    const databaseUrl = system.environment.DATABASE_URL!;
    await copySubscribers({ databaseUrl, organizationId: system.organizationId, count: size, alone: true });
    return installation;
  }

  get url(): string {
    return this.system.url();
  }

  /** Makes a campaign. @returns its id */
  async draft(name: string, mail: object): Promise<string> {
    const { campaignId } = await this.call<{ campaignId: string }>('create_campaign', { name, subject: name, ...mail });
    return campaignId;
  }

  /** Makes a workflow of 500 steps. @returns its id */
  async largestWorkflow(): Promise<string> {
    const { workflowId, workflow } = await this.call<{ workflowId: string; workflow: { updatedAt: string } }>(
      'create_workflow',
      { name: '500 steps' },
    );
    const expectedUpdatedAt = workflow.updatedAt;
    await this.call('configure_workflow_draft', { workflowId, expectedUpdatedAt, ...largestGraph() });
    return workflowId;
  }

  async send(campaignId: string): Promise<void> {
    const asked = await this.#ask('schedule_campaign', { campaignId });
    await this.call('schedule_campaign', { campaignId, confirmationCode: asked.confirmationCode });
  }

  /** @returns null where a service does not respond in time, as on a busy machine */
  async progressOf(campaignId: string): Promise<{ status: string; sent: number } | null> {
    const answer = await this.#ask('get_campaign_progress', { campaignId });
    if (answer.success) return answer.data as { status: string; sent: number };
    if (answer.code === 'SERVICE_UNAVAILABLE') return null;
    throw new Error(`get_campaign_progress: ${answer.error}`);
  }

  async call<D>(tool: string, body: object): Promise<D> {
    const answer = await this.#ask(tool, body);
    if (!answer.success) throw new Error(`${tool}: ${answer.error}`);
    return answer.data as D;
  }

  async close(): Promise<void> {
    await this.system.stop();
    await this.sink.stop();
  }

  async #ask(tool: string, body: object) {
    const response = await fetch(`${this.url}/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.system.apiToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  }

  async #post(path: string, body: object, headers: Record<string, string>): Promise<void> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
}

/** Waits and conditions, 500 steps in all, whose ways part and meet again. */
export function largestGraph(): { steps: object[]; edges: object[] } {
  const steps: object[] = [{ id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } }];
  const edges: object[] = [];
  const filters = [{ type: 'SYSTEM', field: 'system', operator: 'IS_ENGAGED' }];
  let before = 'start';
  const wait = (id: string) => steps.push({ id, type: 'WAIT', config: { amount: 1, unit: 'DAYS' } });
  for (let n = 0; steps.length <= 495; n++) {
    const [pause, check, yes, no, join] = ['pause', 'check', 'yes', 'no', 'join'].map((name) => `${name}-${n}`);
    for (const id of [pause, yes, no, join]) wait(id!);
    steps.push({ id: check, type: 'CONDITION', config: { filters } });
    edges.push(
      { source: before, target: pause },
      { source: pause, target: check },
      { source: check, target: yes, branch: 'TRUE' },
      { source: check, target: no, branch: 'FALSE' },
      { source: yes, target: join },
      { source: no, target: join },
    );
    before = join!;
  }
  while (steps.length < 500) {
    const id = `last-${steps.length}`;
    wait(id);
    edges.push({ source: before, target: id });
    before = id;
  }
  return { steps, edges };
}

/** The largest golden mail that the editor takes, without its snippets, which stand in another file. */
export function largestMail(): { subject: string; preview: string; content: object } {
  const file = 'libs/content/test/golden/mail-newsletter.json';
  const { input } = JSON.parse(readFileSync(file, 'utf8')) as {
    input: { subject: string; preview: string; content: { type: string; content: { type: string }[] } };
  };
  const { subject, preview, content: document } = input;
  return {
    subject,
    preview,
    content: { ...document, content: document.content.filter(({ type }) => type !== 'snippet') },
  };
}
