import type { ReactNode } from 'react';
import { langOf, Refusal } from '../data/refusal.js';
import { Callout } from '../ui/states.js';
import { ErrorNotice } from './error-notice.js';
import { ScreenLink } from './screen-link.js';

/** A refusal that names its users, such as `the segment "Customers" (123)`. */
const userPattern = /the (segment|campaign|workflow) "(.*?)" \(([^()]+)\)/g;

/** Shows a refusal; what it says to use the record (SEGMENT_IN_USE, TAG_IN_USE, FIELD_IN_USE) leads to its screen. */
export function RefusalNotice({ error }: { error: unknown }) {
  if (!(error instanceof Refusal) || !error.reason?.endsWith('_IN_USE')) return <ErrorNotice error={error} />;
  return (
    <Callout tone="bad">
      <p lang={langOf(error)}>{linked(error.message)}</p>
    </Callout>
  );
}

function linked(message: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of message.matchAll(userPattern)) {
    const [whole, noun, name, id] = match;
    parts.push(message.slice(at, match.index), userLink(noun!, name!, id!));
    at = match.index + whole.length;
  }
  return [...parts, message.slice(at)];
}

function userLink(noun: string, name: string, id: string): ReactNode {
  const className = 'font-medium underline underline-offset-2';
  const text = `${noun} “${name}”`;
  switch (noun) {
    case 'segment':
      return (
        <ScreenLink key={id} screen="segment" params={{ segmentId: id }} className={className}>
          {text}
        </ScreenLink>
      );
    case 'campaign':
      return (
        <ScreenLink key={id} screen="campaign" params={{ campaignId: id }} className={className}>
          {text}
        </ScreenLink>
      );
    default:
      return (
        <ScreenLink key={id} screen="workflow" params={{ workflowId: id }} className={className}>
          {text}
        </ScreenLink>
      );
  }
}
