import type { Language } from './language.js';
import { markup } from '#html-template';
import { page } from './html-page.js';
import type { Page } from './html-page.js';
import type { Reader } from './recipient-pages.js';

const sentences = {
  en: {
    title: 'Confirm your subscription',
    ask: (from: string | null) => `Do you want to receive emails${from ? ` from ${from}` : ''}?`,
    confirm: 'Yes, subscribe me',
    confirmed: 'You are subscribed',
    confirmedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Your address'} will receive emails${from ? ` from ${from}` : ''}.`,
    expired: 'This link is too old',
    expiredSay: 'A confirmation link works for 7 days. We can send you a new one.',
    resend: 'Send a new link',
    resent: 'Look into your inbox',
    resentSay: 'A new link is on its way to you.',
    notResentSay: 'A link was sent to you within the last hour, or is not needed any more. Please look for it first.',
    notPending: 'Nothing was changed',
    notPendingSay: 'There is nothing to confirm for this address. Please write to the sender.',
  },
  fr: {
    title: 'Confirmer votre inscription',
    ask: (from: string | null) => `Voulez-vous recevoir les e-mails${from ? ` de ${from}` : ''} ?`,
    confirm: 'Oui, m’inscrire',
    confirmed: 'Vous êtes inscrit',
    confirmedSay: (who: string | null, from: string | null) =>
      `${who ?? 'Votre adresse'} recevra les e-mails${from ? ` de ${from}` : ''}.`,
    expired: 'Ce lien est trop ancien',
    expiredSay: 'Un lien de confirmation est valable 7 jours. Nous pouvons vous en envoyer un nouveau.',
    resend: 'Envoyer un nouveau lien',
    resent: 'Consultez votre boîte de réception',
    resentSay: 'Un nouveau lien vous est envoyé.',
    notResentSay:
      'Un lien vous a été envoyé il y a moins d’une heure, ou n’est plus nécessaire. Veuillez d’abord le chercher.',
    notPending: 'Rien n’a été modifié',
    notPendingSay: 'Il n’y a rien à confirmer pour cette adresse. Veuillez écrire à l’expéditeur.',
  },
} satisfies Record<Language, unknown>;

const asking = (language: Language, title: string, say: string, action: 'confirm' | 'resend'): Page =>
  page(
    { language, title },
    markup`<p>${say}</p><form method="post"><button name="action" value="${action}">${sentences[language][action]}</button></form>`,
  );
const telling = (language: Language, title: string, say: string): Page =>
  page({ language, title }, markup`<p>${say}</p>`);

/** Asks before confirming: opening a link must never do it, since scanners open links. */
export const confirmPage = ({ language, from }: Reader): Page =>
  asking(language, sentences[language].title, sentences[language].ask(from), 'confirm');

export const confirmedPage = ({ language, from }: Reader, email: string | null): Page =>
  telling(language, sentences[language].confirmed, sentences[language].confirmedSay(email, from));

/** For an expired link; its button requests another one. */
export const expiredPage = ({ language }: Reader): Page =>
  asking(language, sentences[language].expired, sentences[language].expiredSay, 'resend');

export function resentPage({ language }: Reader, sent: boolean): Page {
  const say = sentences[language];
  return telling(language, say.resent, sent ? say.resentSay : say.notResentSay);
}

export const notPendingPage = ({ language }: Reader): Page =>
  telling(language, sentences[language].notPending, sentences[language].notPendingSay);
