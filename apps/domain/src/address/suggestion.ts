import { editDistance } from '#tool-call';

/** Common mailbox providers: a domain that looks alike was probably meant to be one of them. */
const providers =
  `gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.co.in yahoo.com.br
  hotmail.com hotmail.co.uk hotmail.fr hotmail.it hotmail.es outlook.com outlook.fr live.com live.co.uk live.fr msn.com
  icloud.com me.com mac.com aol.com protonmail.com proton.me gmx.de gmx.net gmx.at web.de t-online.de freenet.de orange.fr
  wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it comcast.net verizon.net att.net sbcglobal.net
  bellsouth.net btinternet.com sky.com mail.ru yandex.ru rambler.ru qq.com 163.com 126.com naver.com rediffmail.com uol.com.br
  zoho.com fastmail.com mail.com ymail.com email.com gmx.com inbox.com yahoo.ca hotmail.de outlook.de live.de`.split(
    /\s+/,
  );
const known = new Set(providers);

const suffixes: Readonly<Record<string, string>> = {
  con: 'com',
  cmo: 'com',
  ocm: 'com',
  comm: 'com',
  vom: 'com',
  xom: 'com',
  cpm: 'com',
  coom: 'com',
  om: 'com',
  ner: 'net',
  nett: 'net',
  ent: 'net',
  met: 'net',
  ogr: 'org',
  rog: 'org',
  orgg: 'org',
  prg: 'org',
};
/** Real top-level domains among the slips above; only a provider's whole name shows that they are one. */
const realSuffixes = new Set(['om', 'met']);

/** A domain at least this long may be two slips away. */
const lengthForTwoSlips = 9;

/**
 * The domain that was probably meant; null when this one looks as it should.
 * @param domain in ASCII form
 */
export function suggestedDomain(domain: string): string | null {
  if (known.has(domain)) return null;
  const mended = withSuffixMended(domain);
  if (mended && known.has(mended)) return mended;
  const near = nearestProvider(mended ?? domain);
  if (near) return near;
  const suffix = domain.slice(domain.lastIndexOf('.') + 1);
  return mended && !realSuffixes.has(suffix) ? mended : null;
}

function withSuffixMended(domain: string): string | null {
  const cut = domain.lastIndexOf('.') + 1;
  const suffix = domain.slice(cut);
  return cut > 0 && Object.hasOwn(suffixes, suffix) ? domain.slice(0, cut) + suffixes[suffix]! : null;
}

function nearestProvider(domain: string): string | null {
  const slipsMax = domain.length >= lengthForTwoSlips ? 2 : 1;
  let best: { provider: string; slips: number } | null = null;
  for (const provider of providers) {
    if (Math.abs(provider.length - domain.length) > slipsMax || !endsAlike(domain, provider)) continue;
    const slips = editDistance(domain, provider);
    if (slips <= slipsMax && slips < (best?.slips ?? Infinity)) best = { provider, slips };
  }
  return best?.provider ?? null;
}

/**
 * Whether the endings agree or only dots are missing. A name with another ending belongs to another owner: letters are
 * mistyped only in names.
 */
const endsAlike = (domain: string, provider: string): boolean =>
  endingOf(domain) === endingOf(provider) || domain.replaceAll('.', '') === provider.replaceAll('.', '');
const endingOf = (domain: string): string => domain.slice(domain.indexOf('.') + 1);
