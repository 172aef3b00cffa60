export interface ConfirmationMail {
  subject: string;
  html: string;
  text: string;
}

/** Countries where most people are written to in French. */
const frenchIn = new Set(['FR', 'MC']);

const sentences = {
  en: {
    subject: (from: string) => `Please confirm your subscription to ${from}`,
    ask: (from: string) => `Someone, hopefully you, subscribed this address to emails from ${from}.`,
    button: 'Confirm the subscription',
    else: 'If it was not you, do nothing: without a confirmation nothing will be sent. The link works for 7 days.',
  },
  fr: {
    subject: (from: string) => `Veuillez confirmer votre inscription à ${from}`,
    ask: (from: string) => `Quelqu’un, vous sans doute, a inscrit cette adresse aux e-mails de ${from}.`,
    button: 'Confirmer l’inscription',
    else: 'Si ce n’était pas vous, ne faites rien : sans confirmation, rien ne sera envoyé. Le lien est valable 7 jours.',
  },
};

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter]!);

/**
 * @param from the organization's name, as its readers see it
 * @param url of the page whose button confirms
 */
export function confirmationMail({
  from,
  url,
  country,
}: {
  from: string;
  url: string;
  country: string | null;
}): ConfirmationMail {
  const language = country !== null && frenchIn.has(country) ? 'fr' : 'en';
  const say = sentences[language];
  const link = `<a href="${escaped(url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#1f5fd0;color:#ffffff;font-weight:bold;text-decoration:none">${say.button}</a>`;
  const paragraph = (inside: string, style = '') => `<p style="margin:0 0 20px;${style}">${inside}</p>`;
  return {
    subject: say.subject(from),
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escaped(say.subject(from))}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 Arial,sans-serif;color:#1c2024">
${paragraph(escaped(say.ask(from)))}${paragraph(link)}${paragraph(say.else, 'font-size:14px;color:#60646c')}
</body></html>`,
    text: `${say.ask(from)}\n\n${say.button}:\n${url}\n\n${say.else}\n`,
  };
}
