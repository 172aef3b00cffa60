import type { Catalogue } from '../catalogue.js';

/** Sentences of the API by reason, where they say enough without their values; other reasons stay English. */
export const reasons: Catalogue['reasons'] = {
  SIGN_IN_REFUSED: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  SIGN_IN_SLOWED: 'Zu viele Versuche sind fehlgeschlagen. Versuchen Sie es später erneut.',
  SESSION_ENDED: 'Die Sitzung ist beendet. Melden Sie sich erneut an.',
  REAUTHENTICATION_REQUIRED:
    'Dieser Schritt erfordert eine Anmeldung innerhalb der letzten 10 Minuten. Geben Sie das Passwort erneut ein.',
  ROLE_TOO_LOW: 'Ihre Rolle reicht dafür nicht aus. Wenden Sie sich an einen Admin Ihrer Organisation.',
  ROLE_TOO_HIGH: 'Nur ein Inhaber darf die Rolle Inhaber vergeben, ändern oder entziehen.',
  LAST_OWNER: 'Eine Organisation muss einen Inhaber behalten. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  FACTOR_REFUSED: 'Der zweite Faktor wurde nicht angenommen. Ein Code gilt nur kurz und nur einmal.',
  TICKET_OVER: 'Dieser Schritt ist älter als fünf Minuten oder schon benutzt. Beginnen Sie erneut.',
  FACTOR_NOT_FOUND: 'Diesen zweiten Faktor gibt es nicht mehr.',
  FACTORS_TOO_MANY: 'Sie haben schon so viele zweite Faktoren dieser Art wie möglich. Entfernen Sie zuerst einen.',
  FACTOR_MISSING: 'Richten Sie auf Ihrer Kontoseite zuerst selbst einen zweiten Faktor ein.',
  PASSKEY_UNAVAILABLE:
    'Hier lässt sich kein Passkey verwenden. Öffnen Sie diese Seite unter der öffentlichen Adresse oder als localhost.',
  SECOND_FACTOR_REQUIRED:
    'Die Organisation verlangt von ihren Mitgliedern einen zweiten Faktor. Richten Sie ihn auf Ihrer Kontoseite ein.',
  PASSWORD_REFUSED:
    'Das Passwort hat nicht die richtige Länge oder ist leicht zu erraten. Verwenden Sie 12 bis 200 Zeichen, ohne Namen, E-Mail-Adresse oder gängiges Passwort.',
  LINK_OVER: 'Der Link ist unbekannt, abgelaufen, benutzt oder widerrufen. Fordern Sie einen neuen an.',
  MEMBER_EXISTS: 'Diese E-Mail-Adresse gehört schon zu einem Mitglied.',
  MEMBER_NOT_FOUND: 'Dieses Mitglied gibt es in dieser Organisation nicht.',
  INVITATION_NOT_FOUND: 'Diese Einladung gibt es in dieser Organisation nicht.',
  TOKENS_TOO_MANY: 'Es gelten schon so viele Tokens wie möglich. Widerrufen Sie zuerst eines.',
  TOKEN_NOT_FOUND: 'Dieses Token gibt es in dieser Organisation nicht.',
  TOKEN_ENDED: 'Das Token ist abgelaufen oder widerrufen.',
  APPROVERS_TOO_FEW:
    'Wenn jeder Aufruf eine Freigabe braucht, muss die Organisation zwei Freigeber haben. Freigeber sind Mitglieder mit der Rolle Freigeber, Admin oder Inhaber.',

  EXPECTED_UPDATED_AT_STALE:
    'Der Datensatz wurde inzwischen geändert. Laden Sie ihn neu und wiederholen Sie die Änderung.',
  SERVICE_UNAVAILABLE:
    'Ein Dienst antwortet nicht. Es wurde nichts geändert. Versuchen Sie es in einigen Sekunden erneut.',
  DEADLINE_EXCEEDED:
    'Die Antwort kam nicht rechtzeitig. Die Aktion wurde vielleicht ausgeführt. Prüfen Sie das, bevor Sie sie wiederholen.',
  DEFECT: 'Ein interner Fehler ist aufgetreten. Er wurde mit der ID dieser Anfrage protokolliert.',
  RATE_LIMIT_REACHED:
    'Das Limit der Organisation für Aufrufe pro Minute ist erreicht. Versuchen Sie es in Kürze erneut.',
  QUOTA_REACHED:
    'Ein Limit Ihres Tarifs ist erreicht. Der Betreiber dieser Installation kann es erhöhen. Tarif und Nutzung stehen in den Einstellungen der Organisation.',

  APPROVAL_NOT_FOUND: 'Diese Freigabe gibt es in dieser Organisation nicht.',
  APPROVAL_CHANGED: 'Der Inhalt hat sich geändert, seit er angezeigt wurde. Lesen Sie die Freigabe erneut.',
  APPROVAL_OWN: 'Über Ihren eigenen Aufruf muss ein anderer Freigeber entscheiden.',
  APPROVAL_DECIDED: 'Die Freigabe wartet nicht mehr und kann nicht mehr entschieden oder zurückgezogen werden.',

  CAMPAIGN_NOT_FOUND: 'Diese Kampagne gibt es in dieser Organisation nicht.',
  CAMPAIGN_NOT_DRAFT: 'Nur ein Entwurf kann geändert, geplant oder archiviert werden.',
  CAMPAIGN_NOT_SCHEDULED: 'Nur eine geplante Kampagne kann wieder Entwurf werden.',
  CAMPAIGN_NOT_ARCHIVED: 'Nur eine archivierte Kampagne kann aus dem Archiv geholt werden.',
  CAMPAIGN_NOT_RESTORABLE:
    'Nur ein Entwurf, eine geplante oder eine archivierte Kampagne kann wiederhergestellt werden. Duplizieren Sie die Kampagne, um damit weiterzuarbeiten.',
  CAMPAIGN_NOT_SENDING: 'Nur eine laufende Kampagne kann pausiert, fortgesetzt oder gestoppt werden.',
  CAMPAIGN_STARTING: 'Der Versand beginnt gerade. Versuchen Sie es in einer Sekunde erneut.',
  CAMPAIGN_STOPPING: 'Die Kampagne wurde gestoppt und endet gleich. Sie kann nicht fortgesetzt werden.',
  CAMPAIGN_NOT_SENT: 'Erneut senden lässt sich nur eine Kampagne, deren Versand begonnen hat.',
  UNSUBSCRIBE_LINK_MISSING:
    'Der Inhalt hat keinen Abmeldelink. Fügen Sie einen hinzu, etwa in der Fußzeile, und planen Sie erneut.',
  SENDER_MISSING: 'Die Kampagne hat keinen Absender. Wählen Sie einen und planen Sie erneut.',
  SENDER_DOMAIN_UNVERIFIED:
    'Die Domain des Absenders ist nicht verifiziert. Tragen Sie zuerst ihre DNS-Einträge ein und prüfen Sie sie.',
  SCHEDULE_IN_THE_PAST: 'Dieser Zeitpunkt liegt in der Vergangenheit. Wählen Sie einen späteren oder senden Sie jetzt.',
  NO_RECIPIENTS: 'Kein angemeldeter Abonnent passt zu den Filtern der Kampagne. Ändern Sie die Zielgruppe.',

  SUBSCRIBER_NOT_FOUND: 'Diesen Abonnenten gibt es in dieser Organisation nicht.',
  EMAIL_TAKEN: 'Diese E-Mail-Adresse gehört schon zu einem anderen Abonnenten.',
  SUBSCRIBER_BANNED: 'Der Abonnent ist gesperrt. Nur der Betreiber kann eine Sperre aufheben.',
  SUBSCRIBER_NOT_SUPPRESSED:
    'Nur Abonnenten, die abgemeldet oder unzustellbar sind oder sich beschwert haben, können reaktiviert werden.',
  TAG_NOT_FOUND: 'Diesen Tag gibt es in dieser Organisation nicht.',
  TAG_NAME_TAKEN: 'Ein Tag mit diesem Namen besteht schon. Groß- und Kleinschreibung zählt nicht.',
  FIELD_NOT_FOUND: 'Dieses eigene Feld gibt es in dieser Organisation nicht.',
  FIELD_NAME_TAKEN: 'Ein eigenes Feld mit diesem Namen besteht schon. Groß- und Kleinschreibung zählt nicht.',
  FIELD_RESERVED: 'Dieser Name ist reserviert und kann kein eigenes Feld sein.',
  SEGMENT_NOT_FOUND: 'Dieses Segment gibt es in dieser Organisation nicht.',
  SEGMENT_NAME_TAKEN: 'Ein Segment mit diesem Namen besteht schon.',
  EXPORT_NOT_FOUND: 'Diesen Export gibt es in dieser Organisation nicht.',

  DOMAIN_NOT_FOUND: 'Diese Domain gibt es in dieser Organisation nicht.',
  DOMAIN_EXISTS: 'Diese Domain gehört schon zu dieser Organisation.',
  DOMAIN_TAKEN:
    'Eine andere Organisation dieser Installation hat diese Domain verifiziert. Sie wird 72 Stunden nach dem Entfernen von deren DNS-Einträgen frei.',
  DOMAIN_SANDBOX: 'Die Sandbox-Domain der Organisation kann nicht gelöscht werden.',
  SENDER_NOT_FOUND: 'Diesen Absender gibt es in dieser Organisation nicht.',
  SENDER_EXISTS: 'Diesen Absender gibt es schon. Groß- und Kleinschreibung zählt nicht.',
};
