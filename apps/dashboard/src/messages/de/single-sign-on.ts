import type { Catalogue } from '../catalogue.js';

export const singleSignOn: Catalogue['singleSignOn'] = {
  button: 'Weiter mit Single Sign-on',
  at: 'Sie melden sich bei {host} an.',
  again: 'Melden Sie sich erneut an',
  newTab: 'Die Anmeldung öffnet sich in einem neuen Tab. Kehren Sie danach hierher zurück.',
  'signedIn.title': 'Sie sind angemeldet',
  'signedIn.lead': 'Schließen Sie diesen Tab und machen Sie dort weiter, wo Sie waren.',
  OIDC_OFF: 'Diese Installation hat keinen Identitätsanbieter.',
  OIDC_UNAVAILABLE: 'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später erneut.',
  OIDC_ATTEMPT_OVER:
    'Die Anmeldung begann in einem anderen Browser oder vor mehr als 10 Minuten. Beginnen Sie von vorn.',
  OIDC_REFUSED:
    'Der Identitätsanbieter hat die Anmeldung abgelehnt. Versuchen Sie es erneut, oder fragen Sie dort nach Ihrem Konto.',
  OIDC_ADDRESS_UNVERIFIED: 'Der Identitätsanbieter nennt keine E-Mail-Adresse, die er geprüft hat.',
  OIDC_USER_UNKNOWN: 'Kein Konto hier hat Ihre E-Mail-Adresse. Bitten Sie einen Admin um eine Einladung.',
  OIDC_OTHER_USER: 'Sie haben sich als anderer Benutzer angemeldet als zuvor. Melden Sie sich als derselbe an.',
  SESSION_ENDED: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
  INVITATIONS_TOO_MANY: 'Die Organisation hat keinen Platz für ein weiteres Mitglied.',
  other: 'Die Anmeldung hat nicht geklappt. Versuchen Sie es erneut.',
};
