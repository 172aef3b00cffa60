import type { Language } from './language.js';
import { markup } from '#html-template';
import type { Markup } from '#html-template';
import { page } from './html-page.js';
import type { Page } from './html-page.js';

/** `from` is the organization's name; null when it is unknown. */
const sentences = {
  en: {
    unsubscribe: 'Unsubscribe',
    unsubscribeAsk: (from: string | null) => `Do you want to stop receiving emails${from ? ` from ${from}` : ''}?`,
    unsubscribed: 'You are unsubscribed',
    unsubscribedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Your address'} will receive no more emails${from ? ` from ${from}` : ''}.`,
    unsubscriptionNoted: 'Your unsubscription is noted',
    unsubscriptionNotedSay: (from: string | null) =>
      `Emails${from ? ` from ${from}` : ''} will stop in a moment. There is nothing more for you to do.`,
    mistake: 'Was that a mistake?',
    resubscribe: 'Subscribe again',
    resubscribed: 'You are subscribed again',
    resubscribedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Your address'} will receive emails${from ? ` from ${from}` : ''} again.`,
    notResubscribed: 'Nothing was changed',
    notResubscribedSay: 'This address cannot be subscribed from here. Please write to the sender.',
    preferences: 'Email preferences',
    receives: (who: string, from: string | null) => `${who} receives emails${from ? ` from ${from}` : ''}.`,
    receivesNot: (who: string, from: string | null) => `${who} receives no emails${from ? ` from ${from}` : ''}.`,
    name: 'Your name',
    rename: 'Save the name',
    renamed: 'Your name was saved.',
    forgotten: (from: string | null) => `Your address is no longer on the list${from ? ` of ${from}` : ''}.`,
    noted: 'Thank you',
    notedSay: 'Your choice was noted. You can close this page.',
    goneLink: 'This link does not work',
    goneLinkSay: 'It may be incomplete. Try to open it from the email again.',
    goneMessage: 'This email is no longer kept',
    goneMessageSay: 'The online version of an email is available for a limited time.',
    unavailable: 'Please try again in a moment',
    unavailableSay: 'This page cannot be shown right now. Nothing was changed.',
    tooMany: 'Too many tries',
    tooManySay: 'Please wait a minute, then open the link again.',
  },
  fr: {
    unsubscribe: 'Se désabonner',
    unsubscribeAsk: (from: string | null) => `Ne plus recevoir d’e-mails${from ? ` de ${from}` : ''} ?`,
    unsubscribed: 'Vous êtes désabonné',
    unsubscribedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Votre adresse'} ne recevra plus d’e-mails${from ? ` de ${from}` : ''}.`,
    unsubscriptionNoted: 'Votre désabonnement est enregistré',
    unsubscriptionNotedSay: (from: string | null) =>
      `Les e-mails${from ? ` de ${from}` : ''} cesseront dans un instant. Vous n’avez rien d’autre à faire.`,
    mistake: 'C’était une erreur ?',
    resubscribe: 'Se réabonner',
    resubscribed: 'Vous êtes de nouveau abonné',
    resubscribedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Votre adresse'} recevra de nouveau les e-mails${from ? ` de ${from}` : ''}.`,
    notResubscribed: 'Rien n’a été modifié',
    notResubscribedSay: 'Cette adresse ne peut pas être abonnée ici. Veuillez écrire à l’expéditeur.',
    preferences: 'Préférences d’e-mail',
    receives: (who: string, from: string | null) => `${who} reçoit les e-mails${from ? ` de ${from}` : ''}.`,
    receivesNot: (who: string, from: string | null) => `${who} ne reçoit pas d’e-mails${from ? ` de ${from}` : ''}.`,
    name: 'Votre nom',
    rename: 'Enregistrer le nom',
    renamed: 'Votre nom est enregistré.',
    forgotten: (from: string | null) => `Votre adresse n’est plus dans la liste${from ? ` de ${from}` : ''}.`,
    noted: 'Merci',
    notedSay: 'Votre choix est enregistré. Vous pouvez fermer cette page.',
    goneLink: 'Ce lien ne fonctionne pas',
    goneLinkSay: 'Il est peut-être incomplet. Essayez de l’ouvrir à nouveau depuis l’e-mail.',
    goneMessage: 'Cet e-mail n’est plus conservé',
    goneMessageSay: 'La version en ligne d’un e-mail est disponible pendant un temps limité.',
    unavailable: 'Veuillez réessayer dans un instant',
    unavailableSay: 'Cette page ne peut pas être affichée pour le moment. Rien n’a été modifié.',
    tooMany: 'Trop de tentatives',
    tooManySay: 'Veuillez patienter une minute, puis rouvrir le lien.',
  },
} satisfies Record<Language, unknown>;

export interface Reader {
  language: Language;
  from: string | null;
}

export interface Recipient {
  email: string;
  name: string | null;
  subscribed: boolean;
  /** Whether a subscriber who is not subscribed can subscribe again by a button. */
  resubscribable: boolean;
}

type Button = 'unsubscribe' | 'resubscribe' | 'rename';

const button = (language: Language, action: Button, quiet = false): Markup =>
  markup`<form method="post"><button name="action" value="${action}"${quiet ? markup` class="quiet"` : null}>${sentences[language][action]}</button></form>`;

const plain = (status: number, language: Language, title: string, say: string): Page =>
  page({ status, language, title }, markup`<p>${say}</p>`);

/** Asks before unsubscribing: opening a link must never do it, since scanners open links. */
export function unsubscribePage({ language, from }: Reader): Page {
  const say = sentences[language];
  return page(
    { language, title: say.unsubscribe },
    markup`<p>${say.unsubscribeAsk(from)}</p>${button(language, 'unsubscribe')}`,
  );
}

/** `email` is null for a deleted subscriber; the button is offered only if it would subscribe them again. */
export function unsubscribedPage(
  { language, from }: Reader,
  { email, resubscribable }: { email: string | null; resubscribable: boolean },
): Page {
  const say = sentences[language];
  const offer = markup`<p class="soft">${say.mistake}</p>${button(language, 'resubscribe', true)}`;
  return page(
    { language, title: say.unsubscribed },
    markup`<p>${say.unsubscribedSay(email, from)}</p>${resubscribable ? offer : null}`,
  );
}

/** After an unsubscription that is stored and takes effect later. */
export const unsubscriptionNotedPage = ({ language, from }: Reader): Page =>
  plain(200, language, sentences[language].unsubscriptionNoted, sentences[language].unsubscriptionNotedSay(from));

/** After a request to subscribe again; `email` is null for a subscriber who is deleted or may not subscribe again. */
export function resubscribedPage({ language, from }: Reader, email: string | null): Page {
  const say = sentences[language];
  if (email === null) return plain(200, language, say.notResubscribed, say.notResubscribedSay);
  return plain(200, language, say.resubscribed, say.resubscribedSay(email, from));
}

/** The subscription, the button to change it where possible, and the name used to address the subscriber. */
export function preferencesPage(
  { language, from }: Reader,
  { email, name, subscribed, resubscribable }: Recipient,
  renamed = false,
): Page {
  const say = sentences[language];
  const change = subscribed || resubscribable;
  return page(
    { language, title: say.preferences },
    markup`<p>${subscribed ? say.receives(email, from) : say.receivesNot(email, from)}</p>${renamed ? markup`<p role="status">${say.renamed}</p>` : null}
${change ? button(language, subscribed ? 'unsubscribe' : 'resubscribe', subscribed) : markup`<p class="soft">${say.notResubscribedSay}</p>`}
<form method="post"><label>${say.name}<input name="name" value="${name ?? ''}" maxlength="255" autocomplete="name"></label>
<button name="action" value="rename" class="quiet">${say.rename}</button></form>`,
  );
}

export const forgottenPage = ({ language, from }: Reader): Page =>
  plain(200, language, sentences[language].preferences, sentences[language].forgotten(from));
export const notedPage = (language: Language): Page =>
  plain(200, language, sentences[language].noted, sentences[language].notedSay);
export const goneLinkPage = (language: Language): Page =>
  plain(404, language, sentences[language].goneLink, sentences[language].goneLinkSay);
export const goneMessagePage = (language: Language): Page =>
  plain(404, language, sentences[language].goneMessage, sentences[language].goneMessageSay);
export const unavailablePage = (language: Language): Page =>
  plain(503, language, sentences[language].unavailable, sentences[language].unavailableSay);
export const tooManyPage = (language: Language): Page =>
  plain(429, language, sentences[language].tooMany, sentences[language].tooManySay);
