import { describe, expect, it } from '@jest/globals';
import { readReport } from './read-report.js';

const headed = (headers: Record<string, string>, text: string) =>
  [
    ...Object.entries({ 'MIME-Version': '1.0', 'Content-Type': 'text/plain; charset=utf-8', ...headers }),
    ...[['Content-Transfer-Encoding', '8bit']],
  ]
    .map((field) => field.join(': '))
    .join('\r\n') + `\r\n\r\n${text.replace(/\n/g, '\r\n')}`;
const from = (sender: string, subject: string, text: string) => headed({ From: sender, Subject: subject }, text);

/** Returns the data of the first recipient: action, permanent or temporary, type, category. */
async function feedback(mail: string): Promise<string> {
  const report = await readReport(Buffer.from(mail));
  if (report.kind !== 'bounce') return report.kind === 'other' ? report.why : report.kind;
  const { action, permanent, bounceType, bounceCategory } = report.recipients[0]!;
  return [action, permanent ? 'PERMANENT' : 'TEMPORARY', bounceType, bounceCategory].join(' ');
}

const noUser = 'failed PERMANENT HARD NO_SUCH_USER';
const full = 'failed TEMPORARY SOFT MAILBOX_FULL';
const noHost = 'failed PERMANENT HARD INTERNAL';
const passing = 'failed TEMPORARY SOFT TRANSIENT';

describe('a bounce in another language', () => {
  const folgende = 'Fehler bei der Nachrichtenzustellung an folgende Empfänger:';
  it.each([
    ['Unzustellbar: News', `${folgende}\n\nada@example.net\nDie E-Mail-Adresse konnte nicht gefunden werden.`, noUser],
    ['Unzustellbar: News', `${folgende}\n\nada@example.net\nDas Postfach des Empfängers ist voll.`, full],
    ['Unzustellbar: News', `${folgende}\n\nada@example.net\nDas Konto wurde deaktiviert.`, passing],
    ['Unzustellbar: News', `${folgende}\n\nada@example.net\nDer Server ist zur Zeit nicht erreichbar.`, passing],
    ['Unzustellbar: News', `${folgende}\n\nDie Domain example.net wurde nicht gefunden.`, noHost],
    [
      'Unzustellbar: News',
      `${folgende}\n\nada@example.net\nIhre IP-Adresse wurde gesperrt.`,
      'failed PERMANENT SOFT POLICY',
    ],
    [
      'Verzögert: Zustellung',
      'Ihre Nachricht wurde noch nicht zugestellt:\n\nada@example.net\nDer Server antwortet nicht.',
      'delayed TEMPORARY SOFT TRANSIENT',
    ],
    [
      'Non remis : News',
      "Votre message n'a pas été remis à ada@example.net, car l'adresse est introuvable ou ne peut pas recevoir de message.",
      noUser,
    ],
    [
      'Non remis : News',
      "La remise à ces destinataires a échoué :\n\nada@example.net\nLa boîte aux lettres du destinataire est pleine pour l'instant.",
      full,
    ],
    [
      'No se puede entregar: News',
      'No se pudo entregar el mensaje:\n\nada@example.net\nNo se encontró la dirección de correo que escribió.',
      noUser,
    ],
    [
      'No se puede entregar: News',
      'Error en la entrega:\n\nada@example.net\nEl buzón del destinatario está lleno.',
      full,
    ],
    [
      'Não é possível entregar: News',
      'Falha na entrega para:\n\nada@example.net\nO endereço de email inserido não foi encontrado.',
      noUser,
    ],
    [
      'Não é possível entregar: News',
      'Falha na entrega para:\n\nada@example.net\nA caixa de correio do destinatário está cheia.',
      full,
    ],
    [
      'Non recapitabile: News',
      "Impossibile recapitare il messaggio:\n\nada@example.net\nL'indirizzo immesso non è stato trovato.",
      noUser,
    ],
    [
      'Onbestelbaar: News',
      'De bezorging van uw bericht is mislukt:\n\nada@example.net\nHet ingevoerde e-mailadres is niet gevonden.',
      noUser,
    ],
    [
      'Kunde inte levereras: News',
      'Det gick inte att leverera meddelandet:\n\nada@example.net\nDen angivna e-postadressen hittades inte.',
      noUser,
    ],
    [
      'Niedostarczalne: News',
      'Nie można dostarczyć wiadomości:\n\nada@example.net\nNie można znaleźć podanego adresu e-mail.',
      noUser,
    ],
    ['Teslim edilemedi: News', 'Teslim edilemedi:\n\nada@example.net\nGirdiğiniz e-posta adresi bulunamadı.', noUser],
    [
      'Недоставленное сообщение',
      'Не удалось доставить сообщение:\n\nada@example.net\nПочтовый ящик получателя переполнен.',
      full,
    ],
    [
      'Недоставленное сообщение',
      'Ваше письмо не может быть доставлено:\n\n<ada@example.net>: пользователь не найден',
      noUser,
    ],
    [
      '配信不能: News',
      '次の受信者への配信に失敗しました:\n\nada@example.net\n宛先のアドレスが見つかりません。',
      noUser,
    ],
    [
      '配信不能: News',
      '次の受信者への配信に失敗しました:\n\nada@example.net\nメールボックスの容量が超過しています。',
      full,
    ],
    ['系统退信', '抱歉，您的邮件被退回来了\n\nada@example.net\n退信原因：收件人地址不存在', noUser],
    ['메일 전송 실패', '메일을 전송하지 못했습니다.\n\nada@example.net\n존재하지 않는 이메일 주소입니다.', noUser],
  ])('is read: %s, %j', async (subject, text, expected) => {
    expect(await feedback(from('postmaster@example.net', subject, text))).toBe(expected);
  });

  it('is known by its subject also when that is encoded', async () => {
    const subject = `=?utf-8?B?${Buffer.from('配信不能: News').toString('base64')}?=`;
    const text = 'ada@example.net\n宛先のアドレスが見つかりません。配信されませんでした。';
    expect(await feedback(from('postmaster@example.net', subject, text))).toBe(noUser);
    expect(await feedback(from('postmaster@example.net', subject, 'ada@example.net'))).toMatch(/^failed/);
  });
});

describe('a bounce in the words of', () => {
  const returned = 'Undelivered Mail Returned to Sender';
  const lead = 'Your message could not be delivered.\n\n';
  it.each([
    [
      'Postfix: a domain that is none',
      `${lead}<ada@b.example>: Host or domain name not found. Name service error for\n    name=b.example type=A: Host not found`,
      noHost,
    ],
    [
      'Postfix: a name server that is silent',
      `${lead}<ada@b.example>: Host or domain name not found. Name service error for name=b.example type=MX: Host not found, try again`,
      passing,
    ],
    [
      'Postfix: a loop',
      `${lead}<ada@b.example>: mail for b.example loops back to myself`,
      'failed PERMANENT SOFT OTHER',
    ],
    ['a name server that is slow', `${lead}<ada@b.example>: DNS lookup failure, temporary error`, passing],
    ['maildrop: quota', `${lead}<ada@b.example>: the user's maildir has overdrawn his diskspace quota`, full],
    ['qmail: quota', `${lead}<ada@b.example>:\nThe users mailfolder is over the allowed quota (size).`, full],
    ['Yahoo: many retries', `${lead}<ada@b.example>:\nUnable to deliver message after multiple retries.`, passing],
    ['IMail: attempts', 'undeliverable to ada@b.example\nDelivery failed 20 attempts: ada@b.example', passing],
    ['SmarterMail: no connection', `${lead}Reason: Could not connect to the remote mail server`, passing],
    ['Mercury: a name', `${lead}  User "ada" not known at this site.`, noUser],
    [
      'Domino: a transient error that ended it',
      'was not delivered to:\n  ada@b.example\nbecause:\n  SMTP Protocol Returned a Transient Error 421 Too many connections\nThe message is undeliverable.',
      passing,
    ],
    ['Netscape: quota, away from the address', `${lead}The user(s) account is over quota.\n\n<ada@b.example>\n`, full],
    ['Exim: null MX', `${lead}  ada@b.example\n    an MX or SRV record indicated no SMTP service`, noHost],
    [
      'a filter',
      'Your message to: ada@b.example\nwas blocked by our Spam Firewall. It has NOT BEEN DELIVERED.',
      'failed PERMANENT SOFT BLOCKED',
    ],
  ])('%s', async (_, text, expected) => {
    expect(await feedback(from('MAILER-DAEMON@mx.example.net', returned, text))).toBe(expected);
  });

  it.each([
    [
      'Courier, of a delay',
      '"Courier mail server at mx.example.net" <@>',
      'NOTICE: mail delivery status.',
      'Your message to the following recipients is delayed:\n\n<ada@b.example>:\n     Connection refused\n\nAttempts will continue.',
      'delayed TEMPORARY SOFT TRANSIENT',
    ],
    [
      'a carrier',
      'post_master@text.example',
      'Undeliverable Message',
      'Error: No valid recipients for this MM',
      noUser,
    ],
  ])('%s', async (_, sender, subject, text, expected) => {
    expect(await feedback(from(sender, subject, text))).toBe(expected);
  });
});

describe('an answering machine', () => {
  const away = 'Hello, I am away until Monday.';
  it.each([
    ['Automatic reply: Your order was returned to sender', away, { 'Auto-Submitted': 'auto-replied' }],
    ['Re: Your parcel could not be delivered', away, { 'X-Autoreply': 'yes' }],
    ['Out of office: delivery failure', 'Meanwhile messages could not be delivered to me.', {}],
    ['Réponse automatique : Retour', 'Votre message ne sera pas lu.', { 'Auto-Submitted': 'auto-generated' }],
  ])('is neither bounce nor complaint for an auto-reply: %s', async (Subject, text, change) => {
    const headers = { 'Return-Path': '<>', From: 'Ada <ada@example.net>', Subject, ...change };
    expect(await feedback(headed(headers, text))).toBe('auto-reply');
  });
});

describe('the answer of a person to a mail about a parcel', () => {
  it.each(['Re: Your parcel could not be delivered', 'AW: Ihr Paket konnte nicht zugestellt werden'])(
    'is none either: %s',
    async (subject) => {
      const text = `Will it come again?\n\n> ${subject.slice(4)}`;
      expect(await feedback(from('Ada <ada@example.net>', subject, text))).toBe('no report');
    },
  );
});
