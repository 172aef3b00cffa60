import { useQueries } from '@tanstack/react-query';
import { queries } from '../data/tools.calls.js';
import { snippetText } from '../messages/en/snippets.js';
import { ScreenLink } from '../parts/screen-link.js';

const shownMax = 5;

/** The campaigns that hold a snippet, by name. */
export function SnippetUses({ usedBy }: { usedBy: readonly string[] }) {
  const reads = useQueries({
    queries: usedBy.slice(0, shownMax).map((campaignId) => ({
      ...queries.get_campaign({ campaignId }),
      staleTime: 60_000,
    })),
  });
  if (usedBy.length === 0) return <p className="text-sm text-soft">{snippetText('uses.none')}</p>;
  const rest = usedBy.length - shownMax;
  return (
    <div className="text-sm">
      <p className="text-soft">{snippetText('uses', { count: usedBy.length })}</p>
      <ul className="mt-1 flex flex-col gap-1">
        {reads.map(({ data, isError }, n) => (
          <li key={usedBy[n]} className="min-w-0 wrap-anywhere">
            {data ? (
              <ScreenLink
                screen="campaign"
                params={{ campaignId: data.campaign.id }}
                className="text-accent underline underline-offset-2"
              >
                {data.campaign.name}
              </ScreenLink>
            ) : (
              <span className="text-soft">{isError ? usedBy[n] : '…'}</span>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="mt-1 text-soft">{snippetText('uses.more', { count: rest })}</p>}
    </div>
  );
}
