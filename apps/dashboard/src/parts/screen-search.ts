import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type * as z from 'zod/mini';
import { notify } from '../data/notices.js';
import { commonText } from '../messages/en/common.js';

/**
 * The search part of the address by a schema of optional keys. What does not parse is dropped, and said once.
 * @returns the parsed values, and a function that changes some of them (undefined removes a key)
 */
export function useScreenSearch<S extends z.ZodMiniObject>(
  schema: S,
): [z.output<S>, (change: Partial<z.input<S>>, options?: { replace?: boolean }) => void] {
  const given: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { values, dropped } = useMemo(() => readSearch(schema, given), [schema, given]);
  const droppedText = dropped.join(', ');
  useEffect(() => {
    if (droppedText !== '') notify({ kind: 'failed', text: commonText('search.dropped', { names: droppedText }) });
  }, [droppedText]);
  const change = (part: Partial<z.input<S>>, { replace = false } = {}) => {
    const next = Object.fromEntries(
      Object.entries({ ...values, ...part }).filter(([, value]) => value !== undefined && value !== ''),
    );
    void navigate({ to: '.', search: next, replace });
  };
  return [values, change];
}

/** Reads each key by itself, so that a wrong one does not take the others along. */
export function readSearch<S extends z.ZodMiniObject>(
  schema: S,
  given: Record<string, unknown>,
): { values: z.output<S>; dropped: string[] } {
  const values: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const known = (schema.shape as Record<string, z.ZodMiniType | undefined>)[key];
    const read = known?.safeParse(value);
    if (read?.success) values[key] = read.data;
    else dropped.push(key);
  }
  return { values: values as z.output<S>, dropped };
}
