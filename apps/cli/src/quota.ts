import type { QuotaName, Quotas } from '#contracts';
import { UsageError } from './command-error.js';
import type { Command } from './command.js';
import type { Typed } from './typed.js';

const optionOf: Record<QuotaName, { option: string; about: string }> = {
  contacts: { option: 'contacts', about: 'how many contacts it may have' },
  mailsPerMonth: { option: 'mails', about: 'how many emails it may send a month' },
  domains: { option: 'domains', about: 'how many sending domains it may add' },
};
const entries = Object.entries(optionOf) as [QuotaName, (typeof optionOf)[QuotaName]][];

/** The options that set quotas. @param lift the word that removes a quota. @param about the effect of that word */
export const quotaOptions = (lift: string, about: string): NonNullable<Command['options']> =>
  Object.fromEntries(entries.map(([, one]) => [one.option, { value: `N|${lift}`, about: `${one.about}; ${about}` }]));

/** The quotas given; undefined for none. @throws UsageError */
export function quotasTyped(typed: Typed, lift: string): Partial<Quotas> | undefined {
  const quotas: Partial<Quotas> = {};
  for (const [name, { option }] of entries) {
    const text = typed.text(option);
    if (text === undefined) continue;
    if (text !== lift && !/^\d{1,9}$/.test(text))
      throw new UsageError(`--${option} takes a number or ${lift}, not "${text}".`);
    quotas[name] = text === lift ? null : Number(text);
  }
  return Object.keys(quotas).length > 0 ? quotas : undefined;
}

export const quotasText = (quotas: Quotas): string =>
  entries.flatMap(([name, { option }]) => (quotas[name] === null ? [] : [`${quotas[name]} ${option}`])).join(', ') ||
  '-';
