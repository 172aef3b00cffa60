import { useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { compileMail, contentReferences, parseContent, previewLinks, renderMail, yearIn } from '#content';
import type { Content, ContentType, Snippet } from '#content';
import { queries } from '../data/tools.calls.js';

export interface MailSource {
  subject: string;
  preview: string;
  contentType: ContentType;
  content: unknown;
}

export interface ShownMail {
  subject: string;
  preview: string | null;
  html: string;
  text: string;
  bytes: number;
  warnings: readonly { code: string; message: string }[];
}

export type MailResult = { mail: ShownMail } | { problems: readonly string[] } | null;

/**
 * Renders a mail in the browser as the server does, at most once a frame: with snippets and footer, without a subscriber.
 * @returns null until organization and snippets are read
 */
export function useMail(source: MailSource, now: Date): MailResult {
  const settled = useDeferredValue(source);
  const parsed = useMemo(
    () => parseContent(settled.contentType, settled.content),
    [settled.contentType, settled.content],
  );
  const { data } = useQuery({ ...queries.get_organization({}), staleTime: 300_000 });
  const snippets = useSnippets(settled.contentType, parsed.ok ? parsed.content : '');
  const organization = data?.organization;
  const year = yearIn(organization?.timezone ?? 'UTC', now);
  return useMemo(() => {
    if (!organization || !snippets) return null;
    if (!parsed.ok)
      return {
        problems: parsed.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' ')),
      };
    const { template, warnings } = compileMail({
      subject: settled.subject,
      preview: settled.preview.trim() === '' ? null : settled.preview,
      type: settled.contentType,
      content: parsed.content,
      snippets,
      organization,
      footer: true,
    });
    const mail = renderMail(template, {
      values: {},
      placeholders: true,
      links: previewLinks,
      currentYear: year,
    });
    const bytes = new TextEncoder().encode(mail.html).length;
    return { mail: { ...mail, bytes, warnings: [...parsed.warnings, ...warnings] } };
  }, [organization, snippets, parsed, settled, year]);
}

/** The snippets that a content names, by id and by name; null until they are read. */
function useSnippets(type: ContentType, content: Content): Record<string, Snippet> | null {
  const wanted = useMemo(() => contentReferences(type, content).snippets, [type, content]);
  const list = useQuery({ ...queries.get_email_snippets({}), enabled: wanted.length > 0 });
  const named = (list.data?.snippets ?? []).filter(({ id, name }) => wanted.includes(id) || wanted.includes(name));
  const whole = useQueries({ queries: named.map(({ id }) => queries.get_email_snippet({ id })) });
  const isReady = wanted.length === 0 || (list.data !== undefined && whole.every(({ isPending }) => !isPending));
  const found = whole.flatMap(({ data }) => (data ? [data.snippet] : []));
  const key = found.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  return useMemo(
    () =>
      isReady
        ? Object.fromEntries(
            found.flatMap(({ id, name, content: own }) => {
              const snippet = { name, content: own } as Snippet;
              return [
                [id, snippet],
                [name, snippet],
              ];
            }),
          )
        : null,
    // The snippets are new objects at every render.
    [isReady, key],
  );
}
