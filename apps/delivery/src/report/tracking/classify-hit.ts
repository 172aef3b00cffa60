/** No person reads that fast: a hit within two seconds of the relay's reply comes from a scanner at the destination. */
const scanMs = 2_000;

/**
 * Programs that name themselves: crawlers, HTTP libraries, headless browsers, mail security products; Cubot makes
 * phones.
 */
const machineAgents =
  /(?<!\bcu)bot\b|crawl|spider|scan(?:ner)?\b|curl\/|wget\/|python-|aiohttp|go-http-client|java\/|okhttp|axios\/|node-fetch|undici|libwww|lwp|httpclient|headless|phantomjs|puppeteer|playwright|selenium|barracuda|proofpoint|mimecast|ironport|fireeye|messagelabs|symantec|trendmicro|forcepoint|sophos|safelinks|microsoft office existence discovery|facebookexternalhit|slack-?img|preview/i;

/** Providers that fetch images on behalf of the person who opens (Gmail, Yahoo): counted as an open all the same. */
const imageProxies = /googleimageproxy|yahoomailproxy/i;

/** The user agent of mail-privacy proxies; a browser of a person has a longer one. */
const bareAgent = /^mozilla\/5\.0$/i;

export interface HitFacts {
  kind: 'open' | 'click';
  at: Date;
  userAgent: string | null;
  /** When the relay took the message; null while that is unknown. */
  acceptedAt: Date | null;
}

/**
 * An open through a mail-privacy or image proxy counts as a person's. A hit without a user agent counts as a machine's,
 * and so does a click with a bare one.
 */
export function isMachineHit({ kind, at, userAgent, acceptedAt }: HitFacts): boolean {
  if (acceptedAt && at.getTime() - acceptedAt.getTime() < scanMs) return true;
  const agent = userAgent?.trim() ?? '';
  if (agent === '') return true;
  if (kind === 'open' && imageProxies.test(agent)) return false;
  return machineAgents.test(agent) || (kind === 'click' && bareAgent.test(agent));
}
