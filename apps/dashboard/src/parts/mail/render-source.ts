import { compileMail, contentReferences, parseContent, previewLinks, renderMail, yearIn } from '#content';
import type { ContentType, Snippet } from '#content';
import type { ToolData } from '#client';

export interface MailSource {
  subject: string;
  preview: string;
  contentType: ContentType;
  content: unknown;
  /** A part of mails, such as a snippet: no footer follows. */
  isPart?: boolean;
}

export interface ShownMail {
  subject: string;
  preview: string | null;
  html: string;
  text: string;
  bytes: number;
  warnings: readonly { code: string; message: string }[];
}

/** What a subscriber's copy is rendered with; `shows` by the JSON of a list of filters. */
export interface MergeInput {
  values: ToolData<'get_merge_values'>['values'];
  shows: Record<string, boolean>;
}

export interface RenderRequest {
  source: MailSource;
  organization: ToolData<'get_organization'>['organization'];
  /** Snippets by id and by name. */
  snippets: Record<string, Snippet>;
  /** Null shows a sample: every block, and names in place of values. */
  merge: MergeInput | null;
}

/** What else a mail has to be rendered with. */
export interface MailNeeds {
  /** Ids and names of snippets. */
  snippets: readonly string[];
  /** Lists of filters that decide on blocks. */
  showIf: readonly Record<string, unknown>[][];
}

export interface RenderReply {
  needs: MailNeeds;
  result: { mail: ShownMail } | { problems: readonly string[] };
}

/** Renders a mail as the server does. @param now decides on the year */
export function renderSource({ source, organization, snippets, merge }: RenderRequest, now: Date): RenderReply {
  const { subject, preview, contentType, isPart = false } = source;
  const parsed = parseContent(contentType, source.content);
  if (!parsed.ok)
    return {
      needs: { snippets: [], showIf: [] },
      result: {
        problems: parsed.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' ')),
      },
    };
  const { template, warnings } = compileMail({
    subject,
    preview: preview.trim() === '' ? null : preview,
    type: contentType,
    content: parsed.content,
    snippets,
    organization,
    footer: !isPart,
  });
  const mail = renderMail(template, {
    values: merge?.values ?? {},
    placeholders: merge === null,
    ...(merge && { shows: template.showIf.map((filters) => merge.shows[JSON.stringify(filters)] ?? true) }),
    links: previewLinks,
    currentYear: yearIn(organization.timezone, now),
  });
  return {
    needs: { snippets: contentReferences(contentType, parsed.content).snippets, showIf: template.showIf },
    result: {
      mail: {
        ...mail,
        bytes: new TextEncoder().encode(mail.html).length,
        warnings: [...parsed.warnings, ...warnings],
      },
    },
  };
}
