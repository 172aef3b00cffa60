import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolData } from '#client';
import { queries } from '../data/tools.calls.js';
import { campaignText } from '../messages/en/campaigns.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { Button } from '../ui/button.js';
import { Field, TextInput } from '../ui/field.js';
import { Icon } from '../ui/icon.js';

/** Explains for one address why the person gets a campaign, or not. */
export function WhyForm({ campaignId }: { campaignId: string }) {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState('');
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...queries.explain({ campaignId, email: asked }),
    enabled: asked !== '',
    staleTime: 0,
  });
  return (
    <section className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">{campaignText('why.title')}</h2>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(email.trim());
        }}
      >
        <div className="min-w-0 flex-1">
          <Field label={campaignText('why.email')}>
            {(control) => (
              <TextInput
                {...control}
                type="email"
                required
                value={email}
                onChange={({ target }) => setEmail(target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" busy={isFetching}>
          {campaignText('why.button')}
        </Button>
      </form>
      {asked !== '' && error && <ErrorNotice error={error} />}
      {asked !== '' && data && !(error && isPlaceholderData) && <Explanation explanation={data} />}
    </section>
  );
}

function Explanation({ explanation: { headline, checks } }: { explanation: ToolData<'explain'> }) {
  return (
    <div role="status">
      <p className="font-medium wrap-anywhere">{headline}</p>
      <ul className="mt-2 flex flex-col gap-1.5">
        {checks.map(({ rule, expected, actual, passed }, place) => (
          <li key={`${rule} ${place}`} className="flex items-start gap-2 text-sm">
            <Icon
              name={passed === true ? 'check' : passed === false ? 'close' : 'info'}
              className={`mt-0.5 shrink-0 ${passed === true ? 'text-good' : passed === false ? 'text-bad' : 'text-soft'}`}
            />
            <span className="sr-only">
              {campaignText(passed === null ? 'why.unknown' : passed ? 'why.passed' : 'why.failed')}
            </span>
            <span className="min-w-0 wrap-anywhere">
              {expected} <span className="text-soft">{actual}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
