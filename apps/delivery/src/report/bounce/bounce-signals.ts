import { anyOf } from '../../message/bounce-phrases.js';

interface Mail {
  headers: ReadonlyMap<string, string>;
  text: string;
}

const daemons =
  /mailer-?daemon|post_?master|mail-?daemon|mail delivery|maildelivery|mail (?:administrator|server)|mailsystem|mail system|^<>|mdaemon|bounce|noreply-mail/i;

/** In the order of the languages of `foreignWordings`, the English ones first. */
const bounceSubjects = anyOf(
  String.raw`undeliver|delivery (?:status|fail|has fail|notif|report|problem|error|delay|unsucc)|deliver(?:y|ed)?:? ?(?:fail|error)|fail(?:ed|ure)[^\n]{0,20}(?:deliver|notice|notif)|returned (?:mail|e-?mail|message|to sender)|return(?:ed)? (?:to|mail)|mail (?:delivery|system) (?:fail|error|status)|mail error|failed mail|mail failed|could not (?:be )?(?:send|sent|deliver)|not deliver|rejected|message you sent blocked|warning: (?:message|could)|message (?:status|delayed|could)|nondeliver|non-deliver|user unknown|bounce|delayed mail|unknown (?:user|recipient)|mail system error|error sending your (?:mail|message)|not member\b`,
  'unzustellbar|nicht (?:zugestellt|zustellbar)|zustell(?:ung|fehler)',
  'non (?:remis|distribu|délivr)|échec de (?:la )?(?:remise|distribution|livraison)|remise différée|retour à l.expéditeur',
  'no se (?:pudo|puede) entregar|no se pudo|no entregad|entrega (?:fallida|retrasada)|error (?:de|en la) entrega|mensaje devuelto',
  'não (?:é possível entregar|foi entregue|entregue)|falha (?:na|de|da) entrega|mensagem devolvida',
  'non recapitabil|mancat[ao] (?:consegna|recapito)|impossibile (?:recapitare|consegnare)',
  'onbestelbaar|niet (?:bezorgd|afgeleverd)|kunde inte levereras|olevererbar|kan ikke leveres|ikke lever(?:t|et)|uleverbar',
  'niedostarcz|nie dostarczono|nedoručiteln|teslim edile',
  'недоставлен|не доставлен|ошибка доставки|не удалось доставить|не доставлено|недоставка',
  '配信(?:不能|不可|エラー|失敗|でき)|送信(?:エラー|失敗|でき)|不達|配達不能',
  '退信|投递失败|无法(?:投递|送达)|未送达|無法(?:投遞|傳送|遞送)|전송 ?실패|배달되지|반송',
);
const bounceWords = anyOf(
  String.raw`(?:could|can) ?not be delivered|couldn't be delivered|(?:was|were|is) (?:not|un)[ -]?(?:able to be )?deliver|not been delivered|undeliverable|permanent fatal errors|delivery to the following|did not reach|this is the (?:qmail|mail|postfix|[\w.-]+) (?:send|program|system|delivery)|(?:this is|running) (?:a delivery status notification|the courier)|message that you sent|returned to (?:you|sender)|failed (?:permanently|recipient)|delivery (?:has )?failed|(?:un|not |n't )able to deliver|rejected your message|user unknown|no (?:such user|valid recipients)|did not receive (?:this|your) message|not delivered to|trouble delivering your|returned (?:a )?permanent errors?|error message below:\s*[45]\d\d|not a member of this mailing list`,
  String.raw`(?:konnten?|kann|können)[^.\n]{0,60} nicht (?:zugestellt|ausgeliefert|übermittelt|erreicht)|nicht erreicht|fehler bei der (?:nachrichten)?zustellung|unzustellbar|noch nicht zugestellt`,
  String.raw`(?:pas pu être|n.a pas été|n.ont pas été) (?:remis|distribu|délivr|livr|envoy|transmis)|n.est pas parvenu|(?:remise|distribution)[^.\n]{0,80} (?:a échoué|retardée)|impossible de (?:remettre|joindre|livrer|distribuer)`,
  String.raw`no (?:se pudo|ha podido|pudo|se ha podido|se ha|se puede)[^.\n]{0,30} ?entreg|(?:error|fall[oó]) (?:en|de) la entrega`,
  String.raw`falha (?:na|de) entrega|não (?:foi possível|pôde|pode|foi)[^.\n]{0,30} entreg`,
  String.raw`impossibile (?:recapitare|consegnare)|non (?:è|e') stat[oa] (?:possibile )?(?:recapit|consegn)`,
  String.raw`niet (?:worden )?(?:bezorgd|afgeleverd)|bezorging[^.\n]{0,80}mislukt|gick inte att leverera|kunde inte levereras|kunne ikke lever|ble ikke levert`,
  String.raw`nie można (?:było )?dostarczyć|nie (?:została?|mogła?)[^.\n]{0,30} dostarczon|nelze doručit|nebyl[ao]? doručen|teslim edile`,
  String.raw`не удалось доставить|не (?:может|могло) быть (?:доставлен|отправлен)|не был[ао]? доставлен|не вдалося доставити`,
  '(?:配信|送信|配送|配達)(?:に失敗|でき|不能|されません)|(?:お届け|届けることが)でき',
  '被退回|退信|无法(?:投递|送达|发送)|未能(?:送达|投递)|投递失败|無法(?:傳送|遞送|投遞)|(?:전송|전달|배달)(?:하지 ?못|되지|할 수 없|에 실패|실패)',
);

const answer =
  'out of (?:the )?office|auto(?:matic)?[ -]?(?:reply|response|answer)|vacation|abwesen|absence|automatische antwort|réponse automatique|respuesta automática|resposta automática|risposta automatica|автоответ|автоматический ответ|自動(?:応答|回复)|自动(?:回复|答复)';
const answers = anyOf(answer);
/** The rest of the subject is that of the mail they answer. */
const beginsAsAnswer = anyOf(String.raw`^\W{0,3}(?:${answer})`);

/** How mail programs of people begin the subject of a reply: the rest is our own subject. */
const replies = /^\s*(?:re|aw|antw|sv|rv|rif|odp|ynt|отв|回复|答复|返信)(?:\[\d+\])?\s*[:：]/i;

/** Whether two signs of a bounce come together: its sender, its subject, its words, its form. */
export function looksLikeBounce(mail: Mail): boolean {
  const { headers, text } = mail;
  if (headers.has('x-failed-recipients')) return true;
  const subject = headers.get('subject') ?? '';
  // A list manager answers mail that it does not accept.
  const isDaemon =
    daemons.test(`${headers.get('from') ?? ''} ${headers.get('sender') ?? ''}`) || headers.has('x-mlserver');
  if (!isDaemon && beginsAsAnswer.test(subject)) return false;
  // Answering machines have the null sender too (RFC 3834 3.3).
  const isEmpty = /^\s*<\s*>/.test(headers.get('return-path') ?? '') && !isAutoReply(mail);
  const signs = [
    isDaemon || isEmpty,
    bounceSubjects.test(subject) && (isDaemon || !replies.test(subject)),
    bounceWords.test(text),
    /^multipart\/report\b[^]*delivery-status/i.test(headers.get('content-type') ?? ''),
  ];
  return signs.filter(Boolean).length >= 2;
}

/** RFC 3834, and what answering machines add of their own. */
export const isAutoReply = ({ headers }: Mail): boolean =>
  /auto-(?:replied|generated|notified)/i.test(headers.get('auto-submitted') ?? '') ||
  headers.has('x-autoreply') ||
  headers.has('x-autorespond') ||
  /auto_reply|auto-reply/i.test(headers.get('precedence') ?? '') ||
  answers.test(headers.get('subject') ?? '');
