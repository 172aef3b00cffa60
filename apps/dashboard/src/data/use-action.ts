import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ToolData, ToolInput, ToolName } from '#client';
import { callTool } from './call-tool.js';
import type { Action, ActionOptions } from './tools.calls.js';
import { makeStale, refresh } from './make-stale.js';
import { notify } from './notices.js';
import { approvalOf, Refusal } from './refusal.js';

/**
 * Carries an action out: one idempotency key per distinct input while the component lives, so that a second click does
 * nothing twice and a corrected input is a new call. It makes the reads stale that the tool concerns, also when the
 * record had changed meanwhile.
 * @returns `run` rejects with the refusal; `error` holds the last one
 */
export function useAction<T extends ToolName>({ tool, options }: Action<T>) {
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>());
  const mutation = useMutation<ToolData<T>, Error, { input: ToolInput<T>; more: ActionOptions }>({
    mutationKey: [tool],
    mutationFn: async ({ input, more }) => {
      const named = JSON.stringify([input, more.ifMatch]);
      const idempotencyKey = keys.current.get(named) ?? crypto.randomUUID();
      keys.current.set(named, idempotencyKey);
      const data = await callTool(tool, input, { ...options, ...more, idempotencyKey });
      // The same input later is a new call.
      keys.current.delete(named);
      return data;
    },
    onSuccess: () => makeStale(client, tool),
    onError: (error) => {
      if (error instanceof Refusal && error.reason === 'EXPECTED_UPDATED_AT_STALE') void makeStale(client, tool);
      const approval = approvalOf(error);
      if (!approval) return;
      notify({ kind: 'approval', text: approval.message, approvalId: approval.id });
      // The page of its record says that it waits.
      void refresh(client, ['list_approvals']);
    },
  });
  return {
    run: (input: ToolInput<T>, more: ActionOptions = {}) => mutation.mutateAsync({ input, more }),
    isPending: mutation.isPending,
    error: mutation.error,
    reset: mutation.reset,
  };
}
