import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Snippet } from '#content';
import { queries } from '../../data/tools.calls.js';
import { renderInWorker } from './mail-renderer.js';
import { NewestOnly } from './newest-only.js';
import type { MailNeeds, MailSource, RenderReply, RenderRequest } from './render-source.js';
import { useMergeInput } from './use-merge-input.js';

export type MailResult = RenderReply['result'] | { failed: true } | null;

const nothing: MailNeeds = { snippets: [], showIf: [] };

/**
 * Renders a mail in a worker while it is written, as the server does. The newest version is rendered next; what came between
 * is left out.
 * @param subscriberId whose copy is rendered; undefined renders a sample
 * @returns `result` is null until everything is read; later, it is the last mail that was rendered with all its parts
 */
export function useMail(source: MailSource, subscriberId?: string) {
  const [rendered, setRendered] = useState<{ request: RenderRequest; reply: RenderReply | null } | null>(null);
  const [renderer] = useState(
    () => new NewestOnly(renderInWorker, (request: RenderRequest, reply) => setRendered({ request, reply })),
  );
  const { subject, preview, contentType, content, isPart } = source;
  const written = useMemo(
    () => ({ subject, preview, contentType, content, ...(isPart !== undefined && { isPart }) }),
    [subject, preview, contentType, content, isPart],
  );
  const organization = useQuery({ ...queries.get_organization({}), staleTime: 300_000 }).data?.organization;
  const needs = rendered?.reply?.needs ?? nothing;
  const snippets = useSnippets(needs.snippets);
  const person = useMergeInput(subscriberId, needs.showIf);
  const { merge } = person;
  useEffect(() => {
    if (organization) renderer.take({ source: written, organization, snippets: snippets ?? {}, merge: merge ?? null });
  }, [renderer, written, organization, snippets, merge]);
  const [result, setResult] = useState<MailResult>(null);
  const isWhole =
    rendered !== null &&
    snippets !== null &&
    merge !== undefined &&
    rendered.request.snippets === snippets &&
    rendered.request.merge === merge;
  const newest = rendered?.reply ? rendered.reply.result : failed;
  if (isWhole && newest !== result) setResult(newest);
  return { result, person };
}

const failed = { failed: true } as const;
const noSnippets: Record<string, Snippet> = {};

/** Snippets by id and by name; null until they are read. */
function useSnippets(wanted: readonly string[]): Record<string, Snippet> | null {
  // Campaigns show archived snippets too.
  const list = useQuery({ ...queries.get_email_snippets({ includeArchived: true }), enabled: wanted.length > 0 });
  const named = (list.data?.snippets ?? []).filter(({ id, name }) => wanted.includes(id) || wanted.includes(name));
  const whole = useQueries({ queries: named.map(({ id }) => queries.get_email_snippet({ id })) });
  const isReady = wanted.length === 0 || (list.data !== undefined && whole.every(({ isPending }) => !isPending));
  const found = whole.flatMap(({ data }) => (data ? [data.snippet] : []));
  const key = found.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  return useMemo(() => {
    if (!isReady) return null;
    if (found.length === 0) return noSnippets;
    return Object.fromEntries(
      found.flatMap(({ id, name, content }) => {
        const snippet = { name, content } as Snippet;
        return [
          [id, snippet],
          [name, snippet],
        ];
      }),
    );
    // The snippets are new objects at every render.
  }, [isReady, key]);
}
