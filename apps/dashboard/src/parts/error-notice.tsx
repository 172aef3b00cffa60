import { Button } from '../ui/button.js';
import { Callout } from '../ui/states.js';
import { langOf, Refusal, textOf } from '../data/refusal.js';
import { commonText } from '../messages/en/common.js';

/**
 * The sentence of the API, its reason and request id to copy, and another try.
 * @param isStale what was read before is still shown
 */
export function ErrorNotice({
  error,
  onRetry,
  isStale = false,
}: {
  error: unknown;
  onRetry?: () => void;
  isStale?: boolean;
}) {
  const facts =
    error instanceof Refusal ? [error.reason ?? error.code, error.requestId].filter(Boolean).join(' · ') : '';
  return (
    <Callout
      tone={isStale ? 'warn' : 'bad'}
      action={
        onRetry && (
          <Button small onClick={onRetry}>
            {commonText('retry')}
          </Button>
        )
      }
    >
      <p lang={langOf(error)}>{textOf(error)}</p>
      {isStale && <p>{commonText('stale')}</p>}
      {facts !== '' && <p className="mt-0.5 font-mono text-xs select-all">{facts}</p>}
    </Callout>
  );
}
