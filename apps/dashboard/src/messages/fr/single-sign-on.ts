import type { Catalogue } from '../catalogue.js';

export const singleSignOn: Catalogue['singleSignOn'] = {
  button: 'Continuer avec l’authentification unique',
  at: 'Vous vous connectez sur {host}.',
  again: 'Reconnectez-vous',
  newTab: 'La connexion s’ouvre dans un nouvel onglet. Revenez ici ensuite.',
  'signedIn.title': 'Vous êtes connecté',
  'signedIn.lead': 'Fermez cet onglet et reprenez là où vous étiez.',
  OIDC_OFF: 'Cette installation n’a pas de fournisseur d’identité.',
  OIDC_UNAVAILABLE: 'Le fournisseur d’identité ne répond pas. Réessayez plus tard.',
  OIDC_ATTEMPT_OVER: 'La connexion a commencé dans un autre navigateur ou il y a plus de 10 minutes. Recommencez.',
  OIDC_REFUSED:
    'Le fournisseur d’identité a refusé la connexion. Réessayez, ou adressez-vous à la personne qui y gère votre compte.',
  OIDC_ADDRESS_UNVERIFIED: 'Le fournisseur d’identité n’indique aucune adresse e-mail vérifiée.',
  OIDC_USER_UNKNOWN: 'Aucun compte ici n’a votre adresse. Demandez une invitation à un admin.',
  OIDC_OTHER_USER: 'Vous vous êtes connecté avec un autre compte que tout à l’heure. Reprenez le même.',
  SESSION_ENDED: 'Votre session est terminée. Reconnectez-vous.',
  INVITATIONS_TOO_MANY: 'L’organisation n’a plus de place pour un autre membre.',
  other: 'La connexion n’a pas fonctionné. Réessayez.',
};
