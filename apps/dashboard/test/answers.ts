import { catalogue } from '#contracts';

/** A call as a component made it. */
export interface MadeCall {
  tool: string;
  input: Record<string, unknown>;
}

/** A refusal as the gateway sends it. */
export interface GivenRefusal {
  status: number;
  error: string;
  code: string;
  [fact: string]: unknown;
}

/**
 * Answers the calls of components in place of the gateway. Inputs and answers are checked against the contracts, so that no
 * fixture shows what the API never sends.
 * @param answers what each tool returns: its data, or a refusal (with `status`)
 * @returns the calls in their order
 */
export function answerTools(answers: Record<string, object | GivenRefusal>): MadeCall[] {
  const calls: MadeCall[] = [];
  globalThis.fetch = ((url: string, { body }: { body: string }) => {
    const tool = url.split('/').at(-1)!;
    const input = JSON.parse(body) as Record<string, unknown>;
    calls.push({ tool, input });
    const { contract } = catalogue.get(tool)!;
    contract.input.parse(input);
    const answer = answers[tool];
    if (!answer) return Promise.reject(new Error(`No answer is given for ${tool}.`));
    if ('status' in answer && typeof answer.status === 'number')
      return Promise.resolve(replyOf(answer.status, { success: false, ...answer }));
    return Promise.resolve(replyOf(200, { success: true, data: contract.output.parse(answer) }));
  }) as unknown as typeof fetch;
  return calls;
}

/** What of a response the client reads; jsdom has none. */
const replyOf = (status: number, body: object): Response =>
  ({
    status,
    ok: status < 400,
    headers: new Map(),
    text: () => Promise.resolve(JSON.stringify(body)),
    json: () => Promise.resolve(body),
  }) as unknown as Response;
