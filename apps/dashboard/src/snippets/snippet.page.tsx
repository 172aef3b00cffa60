import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { queries } from '../data/tools.calls.js';
import { screenText } from '../messages/en/shell.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Page } from '../parts/page.js';
import { Skeleton } from '../ui/states.js';
import { SnippetEditor } from './snippet-editor.js';
import { draftOf, emptyDraft } from './snippet.js';

/** One snippet, or a new one at `/snippets/new`. */
export function SnippetPage() {
  const { snippetId = '' }: { snippetId?: string } = useParams({ strict: false });
  return snippetId === 'new' ? (
    <SnippetEditor start={emptyDraft} />
  ) : (
    <KnownSnippet key={snippetId} snippetId={snippetId} />
  );
}

function KnownSnippet({ snippetId }: { snippetId: string }) {
  const { data, error, refetch } = useQuery({
    ...queries.get_email_snippet({ id: snippetId }),
    // Campaigns that are saved meanwhile change what it says of its uses.
    refetchOnMount: 'always',
  });
  if (data?.snippetId !== snippetId)
    return (
      <Page title={screenText('snippet')}>
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton className="h-96" />}
      </Page>
    );
  return <SnippetEditor start={draftOf(data.snippet)} known={data.snippet} usedBy={data.usedBy} />;
}
