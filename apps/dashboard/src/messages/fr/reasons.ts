import type { Catalogue } from '../catalogue.js';

export const reasons: Catalogue['reasons'] = {
  SIGN_IN_REFUSED: 'L’adresse e-mail ou le mot de passe est incorrect.',
  SIGN_IN_SLOWED: 'Trop de tentatives ont échoué. Réessayez un peu plus tard.',
  SESSION_ENDED: 'La session a pris fin. Reconnectez-vous.',
  REAUTHENTICATION_REQUIRED:
    'Cet appel exige une connexion de moins de 10 minutes. Saisissez à nouveau votre mot de passe, puis réessayez.',
  FACTOR_REFUSED: 'Le second facteur n’est pas accepté. Un code vaut peu de temps et une seule fois.',
  TICKET_OVER: 'Cette étape date de plus de cinq minutes ou a déjà servi. Recommencez.',
  FACTOR_NOT_FOUND: 'Ce second facteur n’existe plus.',
  FACTORS_TOO_MANY: 'Vous avez atteint le nombre maximal de seconds facteurs de ce type. Retirez-en un d’abord.',
  FACTOR_MISSING: 'Configurez d’abord votre propre second facteur sur la page de votre compte.',
  PASSKEY_UNAVAILABLE:
    'Aucune clé d’accès ne fonctionne ici. Ouvrez cette page à l’adresse publique, ou par localhost.',
  SECOND_FACTOR_REQUIRED:
    'L’organisation exige un second facteur de ses membres. Configurez-le sur la page de votre compte.',
  PASSWORD_REFUSED: 'Ce mot de passe n’est pas accepté. Utilisez de 12 à 200 caractères difficiles à deviner.',
  LINK_OVER: 'Le lien est inconnu, expiré, déjà utilisé ou révoqué. Demandez-en un nouveau.',
  ROLE_TOO_LOW: 'Votre rôle ne permet pas cet appel. Adressez-vous à un admin de votre organisation.',
  ROLE_TOO_HIGH: 'Seul un propriétaire peut accorder, modifier ou retirer ce rôle.',
  LAST_OWNER: 'Une organisation doit garder un propriétaire. Nommez d’abord un autre membre propriétaire.',
  MEMBER_NOT_FOUND: 'Ce membre n’existe pas dans cette organisation.',
  MEMBER_EXISTS: 'Cette adresse est déjà celle d’un membre.',
  INVITATION_NOT_FOUND: 'Cette invitation n’existe pas dans cette organisation.',
  INVITATIONS_TOO_MANY:
    'L’organisation a atteint sa limite de membres ou d’invitations. Retirez-en ou révoquez-en d’abord.',
  APPROVERS_TOO_FEW:
    'Comme tous les envois exigent une approbation, l’organisation doit garder au moins deux approbateurs. Les approbateurs sont les membres au rôle approbateur, admin ou propriétaire.',
  TOKENS_TOO_MANY: 'La limite de jetons en vigueur est atteinte. Révoquez-en un d’abord.',
  TOKEN_NOT_FOUND: 'Ce jeton n’existe pas dans cette organisation.',
  TOKEN_ENDED: 'Ce jeton est expiré ou révoqué.',

  EXPECTED_UPDATED_AT_STALE:
    'Cet élément a été modifié depuis sa lecture. Rechargez-le, puis refaites votre modification.',
  SERVICE_UNAVAILABLE: 'Un service ne répond pas. Rien n’a été modifié. Réessayez dans quelques secondes.',
  DATABASE_UNAVAILABLE: 'La base de données d’un service n’est pas disponible. Réessayez dans quelques secondes.',
  DEFECT: 'Une erreur interne s’est produite. Elle a été consignée avec l’identifiant de cette requête.',
  RATE_LIMIT_REACHED: 'La limite d’appels par minute de l’organisation est atteinte. Réessayez dans un instant.',
  QUOTA_REACHED: 'La limite de votre offre est atteinte. Demandez à l’opérateur de cette installation de la relever.',
  NOTHING_TO_CHANGE: 'L’appel ne contient aucune modification. Modifiez au moins un champ.',

  APPROVAL_NOT_FOUND: 'Cette approbation n’existe pas dans cette organisation.',
  APPROVAL_CHANGED: 'Le contenu a changé depuis son affichage. Relisez l’approbation.',
  APPROVAL_OWN: 'Un autre approbateur doit décider de votre propre appel.',
  APPROVAL_DECIDED: 'Seule une approbation en attente peut être décidée ou retirée ; celle-ci ne l’est plus.',
  APPROVALS_TOO_MANY: 'Trop d’appels attendent une approbation. Attendez des décisions, ou retirez-en.',

  CAMPAIGN_NOT_DRAFT:
    'Seul un brouillon peut être modifié, planifié ou archivé. Remettez la campagne en brouillon, ou dupliquez-la.',
  CAMPAIGN_NOT_SCHEDULED: 'Seule une campagne planifiée peut être remise en brouillon.',
  CAMPAIGN_NOT_ARCHIVED: 'Seule une campagne archivée peut être désarchivée.',
  CAMPAIGN_NOT_RESTORABLE:
    'Seule une campagne en brouillon, planifiée ou archivée peut être restaurée. Pour la reprendre, dupliquez-la.',
  CAMPAIGN_NOT_SENDING: 'Seule une campagne en cours d’envoi peut être mise en pause, reprise ou arrêtée.',
  CAMPAIGN_NOT_SENT: 'Seule une campagne dont l’envoi a commencé peut être renvoyée.',
  CAMPAIGN_STARTING: 'L’envoi démarre. Réessayez dans une seconde.',
  CAMPAIGN_STOPPING:
    'La campagne a été arrêtée et va se terminer. Elle ne peut pas être reprise. Une fois terminée, renvoyez-la ou dupliquez-la.',
  HISTORY_ENTRY_NOT_FOUND: 'Cette entrée de l’historique n’existe pas.',
  UNSUBSCRIBE_LINK_MISSING:
    'Le contenu n’a pas de lien de désabonnement. Ajoutez un lien dont l’adresse est {{unsubscribeUrl}} (un pied de page ou un extrait compte), puis planifiez à nouveau.',
  SENDER_MISSING: 'La campagne n’a pas d’expéditeur. Choisissez-en un, puis planifiez à nouveau.',
  SENDER_NOT_FOUND: 'Cet expéditeur n’existe pas dans cette organisation.',
  SENDER_EXISTS: 'Cette adresse est déjà un expéditeur. La casse n’est pas prise en compte.',
  SENDER_IN_USE: 'Cet expéditeur est encore utilisé. Modifiez d’abord ce qui l’utilise.',
  SENDER_DOMAIN_UNVERIFIED:
    'Le domaine de l’expéditeur n’est pas vérifié. Ajoutez ses enregistrements DNS et faites-le vérifier d’abord.',
  SCHEDULE_IN_THE_PAST: 'Cette heure est passée. Choisissez-en une plus tardive, ou envoyez maintenant.',
  NO_RECIPIENTS: 'Aucun abonné au statut Abonné ne correspond aux filtres de la campagne. Modifiez-les.',
  RECIPIENT_GUARD_REACHED:
    'Un destinataire a atteint sa limite de 5 messages en 10 minutes ou 20 en 24 heures. Rien n’a été envoyé. Réessayez plus tard.',

  SUBSCRIBER_NOT_FOUND: 'Cet abonné n’existe pas dans cette organisation.',
  EMAIL_TAKEN: 'Cette adresse appartient déjà à un autre abonné.',
  SUBSCRIBER_BANNED: 'L’abonné est banni. Seul l’opérateur peut lever un bannissement.',
  SUBSCRIBER_NOT_SUPPRESSED: 'Seuls les abonnés rejetés, désabonnés ou ayant porté plainte peuvent être réactivés.',
  TAG_NOT_FOUND: 'Cette étiquette n’existe pas dans cette organisation.',
  TAG_NAME_TAKEN: 'Une étiquette de ce nom existe déjà. La casse n’est pas prise en compte.',
  FIELD_NOT_FOUND: 'Ce champ personnalisé n’existe pas dans cette organisation.',
  FIELD_NAME_TAKEN: 'Un champ personnalisé de ce nom existe déjà. La casse n’est pas prise en compte.',
  FIELD_RESERVED: 'Ce nom est réservé et ne peut pas être celui d’un champ personnalisé.',
  SEGMENT_NOT_FOUND: 'Ce segment n’existe pas dans cette organisation.',
  SEGMENT_NAME_TAKEN: 'Un segment de ce nom existe déjà.',
  CAMPAIGN_NOT_FOUND: 'Cette campagne n’existe pas dans cette organisation.',
  EXPORT_NOT_FOUND: 'Cet export n’existe pas dans cette organisation.',

  DOMAIN_NOT_FOUND: 'Ce domaine d’envoi n’existe pas dans cette organisation.',
  DOMAIN_EXISTS: 'Ce domaine appartient déjà à cette organisation.',
  DOMAIN_TAKEN:
    'Ce domaine est vérifié par une autre organisation de cette installation. Il se libère 72 heures après le retrait de ses enregistrements du DNS.',
  DOMAIN_IN_USE: 'Ce domaine d’envoi est encore utilisé. Modifiez d’abord ce qui l’utilise.',
  DOMAIN_SANDBOX: 'C’est le domaine d’essai de l’organisation. Il ne peut pas être supprimé.',
  DEAD_LETTER_NOT_FOUND: 'Cette lettre morte n’existe pas dans cette organisation.',
};
