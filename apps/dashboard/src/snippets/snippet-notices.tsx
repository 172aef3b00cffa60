import { issuesByField } from '../data/refusal.js';
import { snippetText } from '../messages/en/snippets.js';
import { RefusalNotice } from '../parts/used-by.js';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/states.js';

/** What stands above the fields: the state of the snippet, and why the last save was refused. */
export function SnippetNotices({
  isArchived,
  isStale,
  error,
  onCompare,
}: {
  isArchived: boolean;
  isStale: boolean;
  error: unknown;
  onCompare: () => void;
}) {
  const { byField, rest } = issuesByField(error, ['name', 'description']);
  const isInFields = Object.keys(byField).length > 0 && rest.length === 0;
  return (
    <>
      {isArchived && <Callout tone="plain">{snippetText('archived.notice')}</Callout>}
      {isStale && (
        <Callout
          tone="warn"
          action={
            <Button small onClick={onCompare}>
              {snippetText('stale.compare')}
            </Button>
          }
        >
          <span role="alert">{snippetText('stale.title')}</span>
        </Callout>
      )}
      {error !== null && !isInFields && <RefusalNotice error={error} />}
    </>
  );
}
