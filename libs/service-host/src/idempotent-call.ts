import { failureOf, isKept, ToolError } from '#tool-call';
import type { CallKey, Outcome } from '#tool-call';
import type { CallContext, CallContexts, Share } from './call-context.js';
import { ExecutedCallRepository } from './executed-call.repository.js';
import type { KnownCall } from './executed-call.repository.js';

/** Interval at which a repeat polls for the running call's answer, without holding a connection. */
const pollMs = 50;
/** A call begun longer ago than any deadline belongs to a process that died. */
const abandonedSeconds = 60;

/** Undoes the transaction of a refusal while carrying the refusal out. */
class Refused extends Error {
  constructor(readonly outcome: Outcome) {
    super('refused');
  }
}

interface Once {
  key: CallKey;
  deadline: number;
  contexts: CallContexts;
  share?: Share;
  /** Runs the handler; a refusal is an outcome, a defect is thrown. */
  run: (context: CallContext) => Promise<Outcome>;
}

/**
 * Runs a `write` call so that its effect and its answer are committed together: a repeat of the call id gets the first
 * answer. A refusal undoes its own transaction and is recorded in a short second one.
 */
export async function executeIdempotent({ key, deadline, contexts, share, run }: Once): Promise<Outcome> {
  for (;;) {
    try {
      const outcome = await contexts.callTransaction(async (context): Promise<Outcome | null> => {
        const calls = new ExecutedCallRepository(context.manager);
        if (!(await calls.lock(key))) return null;
        const known = await calls.find(key);
        if (known) return replay(key, known);
        const answer = await run(context);
        if (!answer.ok) throw new Refused(answer);
        await calls.upsert(key, 'DONE', answer);
        return answer;
      }, share);
      if (outcome) return outcome;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return isKept(error.outcome) ? await keepRefusal(key, error.outcome, contexts) : error.outcome;
    }
    if (!(await pause(deadline))) return refusal('DEADLINE_EXCEEDED', { tool: 'The call' });
  }
}

/**
 * The refusal's own transaction is undone, so a repeat may have succeeded meanwhile: its answer then applies to both.
 */
const keepRefusal = (key: CallKey, refused: Outcome, contexts: CallContexts): Promise<Outcome> =>
  contexts.transaction(async ({ manager }) => {
    const calls = new ExecutedCallRepository(manager);
    if (!(await calls.lock(key))) return refused;
    const known = await calls.find(key);
    if (known) return replay(key, known);
    await calls.upsert(key, 'DONE', refused);
    return refused;
  });

/**
 * The same for a call that talks to the outside world: the call id is taken first, in a transaction of its own, and each
 * transaction of the call notes that there is an effect; the last one may note the answer. A call whose process died
 * before any effect is run again; one that had an effect, but no answer yet, is not.
 */
export async function executeIdempotentWithIo(once: Once): Promise<Outcome> {
  const { key, contexts, share, run } = once;
  const calls = new ExecutedCallRepository(contexts.plain().manager);
  const known = (await calls.insertStarted(key)) ? null : await takeUsed(once);
  if (known) return known;
  let isNoted = false;
  const context = contexts.marked(
    {
      effected: (manager) => new ExecutedCallRepository(manager).updateEffected(key),
      concluded: async (manager, data) => {
        await new ExecutedCallRepository(manager).upsert(key, 'DONE', { ok: true, data });
        isNoted = true;
      },
    },
    share,
  );
  try {
    const answer = await run(context);
    if (answer.ok && isNoted) return answer;
    await (isKept(answer) ? calls.upsert(key, 'DONE', answer) : calls.deleteStarted(key));
    return answer;
  } catch (error) {
    await calls.deleteStarted(key);
    throw error;
  }
}

/** Takes a call id that was used before, if it may be used again. @returns the answer of its call, or null when it is taken */
async function takeUsed({ key, deadline, contexts }: Once): Promise<Outcome | null> {
  for (;;) {
    const outcome = await contexts.transaction(async ({ manager }): Promise<Outcome | 'mine' | 'twin'> => {
      const calls = new ExecutedCallRepository(manager);
      if (!(await calls.lock(key))) return 'twin';
      const known = await calls.find(key);
      if (known?.state === 'DONE' || (known && !isSame(key, known))) return replay(key, known);
      if (known && known.ageSeconds < abandonedSeconds) return 'twin';
      if (known?.state === 'EFFECTED') return refusal('ANSWER_LOST', {});
      await calls.upsert(key, 'STARTED', null);
      return 'mine';
    });
    if (outcome === 'mine') return null;
    if (outcome !== 'twin') return outcome;
    if (!(await pause(deadline))) return refusal('DEADLINE_EXCEEDED', { tool: 'The call' });
  }
}

/** The answer of a call that was carried out already, or the refusal of its id with another request; null for neither. */
export async function findReplay(key: CallKey, { manager }: CallContext): Promise<Outcome | null> {
  const known = await new ExecutedCallRepository(manager).find(key);
  return known?.state === 'DONE' ? replay(key, known) : null;
}

function replay(key: CallKey, known: KnownCall): Outcome {
  if (!isSame(key, known)) return refusal('IDEMPOTENCY_KEY_REUSED', { key: key.callId.replace(/^key:/, '') });
  return { ...known.answer!, replayed: true };
}

/** The same call, and of the same request; processes of a version before neither say nor note which request that was. */
function isSame(key: CallKey, known: KnownCall): boolean {
  const whole = [key.wholeHash, known.wholeHash].filter((hash) => hash != null);
  return known.requestHash === key.requestHash && new Set(whole).size < 2;
}

function refusal(...[reason, params]: ConstructorParameters<typeof ToolError>): Outcome {
  return { ok: false, error: failureOf(new ToolError(reason, params)).error };
}

async function pause(deadline: number): Promise<boolean> {
  if (Date.now() + pollMs >= deadline) return false;
  await new Promise((resolve) => setTimeout(resolve, pollMs));
  return true;
}
