import type { ToolData } from '#client';
import { campaignText } from '../messages/en/campaigns.js';
import { mailText } from '../messages/en/mail.js';
import { ScreenLink } from '../parts/screen-link.js';
import type { ScreenTarget } from '../parts/screen-link.js';
import { Icon } from '../ui/icon.js';
import type { Campaign } from './campaign-status.js';

type SendPreview = ToolData<'preview_send'>;

interface CheckFacts {
  label: string;
  good: string;
  problems: readonly string[];
  mend: ScreenTarget;
}

/** What the send itself does not say. */
export interface ReviewFacts {
  /** Filters that lack a value, as sentences. */
  unfinished: readonly string[];
  /** The postal address of the organization; undefined while it is not read. */
  address: string | null | undefined;
  /** The domains for trying out. */
  sandboxes: readonly string[];
}

/** Sorts the warnings of a send to the checks that an author knows. */
function checksOf(
  { id: campaignId, sender }: Campaign,
  { recipientCount, warnings, duration }: SendPreview,
  { unfinished, address, sandboxes }: ReviewFacts,
): CheckFacts[] {
  const left = new Set(warnings);
  const take = (pattern: RegExp) =>
    [...left]
      .filter(({ code }) => pattern.test(code))
      .map((warning) => {
        left.delete(warning);
        return warning.message;
      });
  const minutes = duration.seconds === null ? null : Math.max(1, Math.round(duration.seconds / 60));
  const params = { campaignId };
  const senderProblems = [...(sender ? [] : [campaignText('review.sender.none')]), ...take(/SENDER|DOMAIN/u)];
  const isSandbox = sandboxes.some((domain) => sender?.email.endsWith(`@${domain}`));
  const count = campaignText('audience.gets', { count: recipientCount });
  return [
    {
      label: campaignText('review.audience'),
      good:
        minutes === null
          ? count
          : `${count}. ${campaignText('review.duration', { time: campaignText('minutes', { count: minutes }) })}`,
      problems: [
        ...unfinished.map((filter) => campaignText('review.unfinished', { filter })),
        ...take(/RECIPIENT|AUDIENCE|FILTER|SEGMENT|QUOTA/u),
      ],
      mend: { screen: 'campaignAudience', params },
    },
    {
      label: campaignText('review.sender'),
      good: sender ? `${sender.name} <${sender.email}>` : '',
      problems: [...senderProblems, ...(isSandbox ? [campaignText('review.sender.sandbox')] : [])],
      // A sender is chosen with the mail; one of an own domain has to be made first.
      mend: isSandbox && senderProblems.length === 0 ? { screen: 'domains' } : { screen: 'campaignWrite', params },
    },
    {
      label: campaignText('review.unsubscribe'),
      good: campaignText('review.unsubscribe.good'),
      problems: take(/UNSUBSCRIBE/u),
      mend: { screen: 'campaignWrite', params },
    },
    {
      label: campaignText('review.address'),
      good: address ?? '',
      problems: address === null || address === '' ? [campaignText('review.address.none')] : [],
      mend: { screen: 'organization' },
    },
    {
      label: campaignText('review.content'),
      good: mailText('noWarnings'),
      problems: [...left].map(({ message }) => message),
      mend: { screen: 'campaignWrite', params },
    },
  ];
}

/** Each check: good, or what is wrong with a link to where it is mended. */
export function ReviewChecks({
  campaign,
  preview,
  facts,
}: {
  campaign: Campaign;
  preview: SendPreview;
  facts: ReviewFacts;
}) {
  return (
    <section>
      <h2 className="mb-2 text-lg font-semibold">{campaignText('review.checks')}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {checksOf(campaign, preview, facts).map(({ label, good, problems, mend }) => (
          <li key={label} className="flex items-start gap-3 px-3 py-2.5">
            {problems.length === 0 ? (
              <Icon name="check" className="mt-0.5 shrink-0 text-good" />
            ) : (
              <Icon name="warning" className="mt-0.5 shrink-0 text-warn" />
            )}
            <div className="min-w-0 flex-1">
              <p className="font-medium">{label}</p>
              {problems.length === 0 ? (
                <p className="text-sm text-soft wrap-anywhere">{good}</p>
              ) : (
                problems.map((problem) => (
                  <p key={problem} className="text-sm wrap-anywhere">
                    {problem}
                  </p>
                ))
              )}
            </div>
            {problems.length > 0 && (
              <ScreenLink {...mend} className="shrink-0 text-sm font-medium text-accent hover:underline">
                {campaignText('review.mend')}
              </ScreenLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
