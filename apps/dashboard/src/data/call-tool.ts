import { TidingsClient, TidingsError } from '#client';
import type { ToolData, ToolInput, ToolName } from '#client';
import { askToConfirm, askToSignIn, hasDeclinedSignIn } from './prompts.js';
import type { ConfirmOptions } from './prompts.js';
import { currentOrganization, isRefreshed, sessionHeaders } from './session.js';
import { waitUntil } from './waits.js';

/** Longer waits are shown (waits.ts). */
const shortWaitMs = 1_000;

export interface ToolCallOptions extends ConfirmOptions {
  idempotencyKey?: string;
  ifMatch?: string;
  /** The number of the organization; default: that of the address now, whatever the address becomes meanwhile. */
  organization?: number | null;
  signal?: AbortSignal;
}

const prompted: Record<string, 'again' | 'signIn'> = {
  REAUTHENTICATION_REQUIRED: 'again',
  SESSION_ENDED: 'signIn',
};

/**
 * Calls a tool as the user of this page, in the organization of the address. What the API asks for meanwhile (a
 * confirmation, the password, a new sign-in) comes over the page, and the same call goes on.
 * @throws TidingsError; ConfirmationRequired when the person declined, or when the call became an approval
 */
export async function callTool<T extends ToolName>(
  tool: T,
  input: ToolInput<T>,
  { button, typed, isShown, organization = currentOrganization(), ...options }: ToolCallOptions = {},
): Promise<ToolData<T>> {
  const headers = () => sessionHeaders(organization);
  const client = new TidingsClient({ baseUrl: '', headers, retries: 2, waitMsMax: shortWaitMs });
  const confirm = { ...(button !== undefined && { button }), ...(typed !== undefined && { typed }) };
  for (let tries = 0; ; tries++) {
    try {
      return await client.call(tool, input, {
        ...options,
        confirm: (question) => isShown ?? askToConfirm(question, confirm),
      });
    } catch (error) {
      if (await canRepeat(error, tries, options.signal)) continue;
      throw error;
    }
  }
}

/** Does what a refusal asks for before the same call may go on. @returns whether it may */
async function canRepeat(error: unknown, tries: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (!(error instanceof TidingsError)) return false;
  const prompt = prompted[error.reason ?? ''];
  // Reads have a signal: those of the page itself ask once.
  if (prompt === 'signIn' && signal && hasDeclinedSignIn()) return false;
  if (prompt) return await askToSignIn(prompt);
  if (error.status === 429 && error.retryAt) return await waitUntil(error.retryAt, signal);
  return tries === 0 && (await isRefreshed(error));
}
