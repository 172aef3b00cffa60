/** Domains of the large receivers; every other address counts as `other`, so that the names are few for ever. */
const domains = {
  gmail: ['gmail.com', 'googlemail.com'],
  microsoft: ['msn.com', 'passport.com'],
  yahoo: ['ymail.com', 'rocketmail.com', 'aol.com', 'aim.com'],
  apple: ['icloud.com', 'me.com', 'mac.com'],
  gmx: ['gmx.de', 'gmx.net', 'gmx.com', 'gmx.at', 'gmx.ch', 'web.de', 'mail.com'],
  proton: ['proton.me', 'protonmail.com', 'pm.me'],
  orange: ['orange.fr', 'wanadoo.fr'],
  free: ['free.fr'],
  laposte: ['laposte.net'],
  sfr: ['sfr.fr', 'neuf.fr'],
  comcast: ['comcast.net', 'xfinity.com'],
  libero: ['libero.it', 'virgilio.it'],
  telekom: ['t-online.de', 'magenta.de'],
  yandex: ['yandex.ru', 'yandex.com', 'ya.ru'],
  mailru: ['mail.ru', 'bk.ru', 'inbox.ru', 'list.ru'],
  tencent: ['qq.com', 'foxmail.com'],
  netease: ['163.com', '126.com', 'yeah.net'],
} as const;
const byDomain: ReadonlyMap<string, string> = new Map(
  Object.entries(domains).flatMap(([receiver, names]) => names.map((name) => [name, receiver] as const)),
);
/** These have a domain in each country: hotmail.fr, yahoo.co.uk. */
const byFirstLabel: ReadonlyMap<string, string> = new Map([
  ['hotmail', 'microsoft'],
  ['outlook', 'microsoft'],
  ['live', 'microsoft'],
  ['yahoo', 'yahoo'],
]);

export function mailboxProvider(domain: string): string {
  const name = domain.toLowerCase();
  return byDomain.get(name) ?? byFirstLabel.get(name.slice(0, name.indexOf('.'))) ?? 'other';
}
