import { useState } from 'react';
import type { ToolData } from '#client';
import { currentSession } from '../data/session.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';

type Answer = ToolData<'send_test_email'>;

/** Sends a test copy to a few addresses, first of all the user's own. */
export function TestForm({ campaignId }: { campaignId: string }) {
  const [addresses, setAddresses] = useState(currentSession()?.user.email ?? '');
  const [answer, setAnswer] = useState<Answer | null>(null);
  const test = useAction(actions.send_test_email());
  const emails = addresses
    .split(/[,;\s]+/u)
    .filter(Boolean)
    .slice(0, 5);
  const send = async () => {
    setAnswer(null);
    setAnswer(await test.run({ campaignId, emails }).catch(() => null));
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h2 className="text-lg font-semibold">{campaignText('review.test')}</h2>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field label={campaignText('review.test.addresses')}>
            {(control) => (
              <TextInput {...control} value={addresses} onChange={({ target }) => setAddresses(target.value)} />
            )}
          </Field>
        </div>
        <Button type="submit" busy={test.isPending} disabled={emails.length === 0}>
          {campaignText('review.test.button')}
        </Button>
      </div>
      {test.error && <ErrorNotice error={test.error} />}
      {answer && <TestAnswer answer={answer} />}
    </form>
  );
}

function TestAnswer({ answer: { results, renderedFor } }: { answer: Answer }) {
  const sent = results.filter(({ status }) => status === 'QUEUED').map(({ email }) => email);
  return (
    <div role="status" className="text-sm text-soft">
      {sent.length > 0 && (
        <p className="wrap-anywhere">{campaignText('review.test.sent', { emails: sent.join(', ') })}</p>
      )}
      {results.map(({ email, error }) =>
        error === undefined ? null : (
          <p key={email} className="text-bad wrap-anywhere">
            {email}: {error}
          </p>
        ),
      )}
      {renderedFor && <p>{campaignText('review.test.for', { email: renderedFor.email })}</p>}
    </div>
  );
}
