import { anyOf } from './bounce-phrases.js';
import type { Wording } from './bounce-phrases.js';

/** Matches a noun and its predicate in the same sentence: dots of addresses end none, `。` does. */
const saidOf = (noun: string, said: string) =>
  String.raw`(?:${noun})(?:[^.。\n]|\.(?=\S)|\n(?![ \t]*\n)){0,90}?(?:${said})`;

/**
 * What servers of other countries say, in the order of the English words: German, French, Spanish, Portuguese, Italian,
 * Dutch, the northern languages, Finnish, Hungarian, Romanian, Greek, Vietnamese, Polish, Czech, Turkish, Russian and
 * Ukrainian, Japanese, Chinese, Korean.
 */
export const foreignWordings: Wording[] = [
  {
    category: 'POLICY',
    hard: false,
    words: anyOf(
      saidOf('absender|ip-adresse', 'gesperrt|blockiert|abgelehnt|nicht (?:zugelassen|erlaubt|berechtigt)'),
      saidOf('expéditeur|adresse ip', 'bloquée?|refusée?|rejetée?|pas autorisée?'),
      saidOf('remitente|remetente|direcci[oó]n ip|endereço ip', 'bloquead|rechazad|recusad|rejeitad|no autorizad'),
      saidOf('mittente|indirizzo ip|afzender', 'bloccat|rifiutat|non autorizzat|geblokkeerd|geweigerd'),
      saidOf('отправител|ip-адрес', 'заблокирован|отклон|запрещ'),
      saidOf('送信者|送信元|发件人|發件人|寄件者|발신자', '拒否|ブロック|拒绝|拒絕|屏蔽|차단|거부'),
    ),
  },
  {
    category: 'MAILBOX_FULL',
    hard: false,
    words: anyOf(
      saidOf('postfach|speicher|quota|konto', ' voll|überfüllt|überschritten|erschöpft|erreicht'),
      saidOf('bo[iî]te|messagerie|compte|quota', 'pleine?|saturée?|dépassée?|atteint'),
      saidOf('buz[oó]n|casilla|bandeja|cuenta|cuota', 'llen[oa]|agotad|excedid|superad|super[oó]'),
      saidOf('caixa (?:de correio|de entrada|postal)|conta|cota', 'chei[oa]|lotad|excedid'),
      saidOf('casella|cassetta postale|quota|spazio', 'pien[oa]|superat|esaurit'),
      saidOf('postvak|mailbox|postbus', ' vol(?![a-z])'),
      saidOf('brevlåda|postlåda|inkorg|postkasse|innboks|postkassen', ' full| fuld|overfyldt'),
      saidOf('skrzynk', 'pełn|przepełn'),
      saidOf('schránk', 'pln[áaoý]'),
      saidOf('posta kutusu', 'dolu'),
      saidOf('ящик|квот|скриньк', 'переполн|заполн|превыш|перевищ|переповн'),
      String.raw`превышен[^.\n]{0,40}(?:квот|размер|лимит|об[ъь]ём|об[ъь]ем)`,
      saidOf('メールボックス|受信箱|容量', 'いっぱい|一杯|満杯|超過|超え|オーバー|不足|空きが?(?:ありません|ない)'),
      saidOf('邮箱|郵箱|信箱|邮件箱|空间|空間|容量', '已满|已滿|满了|滿了|超过|超出|超過|不足'),
      saidOf('사서함|편지함|메일함|용량', '가득|꽉|초과|부족'),
    ),
  },
  {
    category: 'TRANSIENT',
    hard: false,
    disabled: true,
    words: anyOf(
      saidOf('konto|postfach|adresse|benutzer', 'deaktiviert|gesperrt|stillgelegt|nicht mehr (?:aktiv|gültig)'),
      saidOf('compte|bo[iî]te|adresse', 'désactivée?|suspendue?|fermée?|clôturée?|n.est plus (?:active|valide|utilis)'),
      saidOf('cuenta|buz[oó]n|casilla|direcci[oó]n', 'desactivad|deshabilitad|suspendid|cancelad|expirado'),
      saidOf('conta|caixa|endereço', 'desativad|desactivad|suspens|inativ|cancelad'),
      saidOf('casella|account|indirizzo|cassetta', 'disattivat|disabilitat|sospes'),
      saidOf('ящик|аккаунт|уч[её]тная запись|пользовател', 'заблокирован|отключ|неактив'),
      saidOf('账号|帐号|帳號|用户|邮箱|信箱', '停用|禁用|冻结|凍結|锁定'),
      saidOf('アカウント|メールボックス|アドレス', '停止|無効化'),
    ),
  },
  {
    category: 'INTERNAL',
    hard: true,
    words: anyOf(
      saidOf('konto|postfach|adresse|benutzer', 'gelöscht'),
      saidOf('cuenta|buz[oó]n|casilla|direcci[oó]n', 'ya no (?:existe|está)'),
      saidOf('casella|account|indirizzo|cassetta', 'non è più'),
      saidOf('ящик|аккаунт|уч[её]тная запись|пользовател', 'удал[её]н'),
      saidOf('账号|帐号|帳號|用户|邮箱|信箱', '注销|註銷'),
      saidOf('アカウント|メールボックス|アドレス', '解約'),
      saidOf('domäne?|domain|rechner', 'unbekannt|existiert nicht|nicht gefunden'),
      saidOf('domaine|hôte', 'introuvable|inconnue?|n.existe pas|pas (?:été )?trouvée?'),
      saidOf(
        'dominio|domínio',
        'no (?:existe|se)|não (?:foi|existe)|non (?:esiste|trovato|è stato)|desconocid|inexistente',
      ),
      saidOf('домен', 'не (?:найден|существует)'),
      saidOf('ドメイン', '存在し|見つかりません'),
      saidOf('域名', '不存在|未找到|无法解析'),
    ),
  },
  {
    category: 'NO_SUCH_USER',
    hard: true,
    words: anyOf(
      saidOf(
        'empf(?:ä|ae)nger|adresse|postfach|nutzer|konto|teilnehmer',
        'unbekannt|existiert nicht|ungültig|nicht (?:gefunden|vorhanden|bekannt|erkannt|registriert|existent|im [^.]{0,30}aufgeführt)',
      ),
      String.raw`(?:unbekannte|ungültige|falsche)[rns]? (?:e-?mail-?)?(?:empf(?:ä|ae)nger|benutzer|adress|postfach|nutzer|konto)`,
      saidOf(
        'adresse|destinataire|utilisateur|compte|usager|bo[iî]te',
        'introuvable|inconnue?|inexistante?|invalide|erronée?|n.existe (?:pas|plus)|non valide|pas (?:été )?(?:trouvée?|reconnue?|répertoriée?)',
      ),
      saidOf(
        'direcci[oó]n|destinatario|usuario|cuenta|buz[oó]n|casilla',
        'no (?:existe|es v[aá]lid|v[aá]lid|encontrad|se (?:ha )?enc)|inexistente|desconocid|incorrect|inv[aá]lid',
      ),
      String.raw`no existe (?:dicha|ese|esa|el|la|este|esta|tal) (?:persona|usuario|cuenta|direcci|buz|destinatario)`,
      'nessun (?:utente|destinatario)',
      String.raw`no se (?:ha )?(?:encontr[oó]|encontrado|encuentra|pudo encontrar)[^.\n]{0,30}(?:direcci|usuario|destinatario|buz)`,
      saidOf(
        'endereço|destinatário|usuário|utilizador|conta|caixa',
        'não (?:foi )?(?:encontrad|exist|localizad|é válid|pôde ser encontrad)|inexistente|desconhecid|inválid',
      ),
      saidOf(
        'indirizzo|destinatario|utente|casella|cassetta',
        'non (?:è stat[oa] )?(?:trovat|esist|valid)|sconosciut|inesistente|inesatt',
      ),
      saidOf(
        'adres|geadresseerde|gebruiker|ontvanger|postvak',
        'niet (?:gevonden|bekend)|onbekend|bestaat niet|ongeldig',
      ),
      saidOf(
        'adress|mottagar|modtager|mottaker|användar|bruger|bruker|postlåda|postkasse',
        'hittades inte|finns inte|okänd|findes ikke|ikke fundet|ukendt|finnes ikke|ikke funnet|ukjent',
      ),
      '(?:okänd|ukendt|ukjent) (?:mottagar|modtager|mottaker|användar|bruger|bruker|adress)',
      saidOf('vastaanottaja|käyttäj|osoite|sähköposti', 'ei löydy|tuntematon|ei ole olemassa'),
      saidOf('felhasználó|címzett|postafiók|cím', 'nem létezik|ismeretlen|nem található'),
      saidOf('utilizator|destinatar|adres[aă]|contul', 'inexistent|necunoscut|nu (?:a fost găsit|există)'),
      saidOf('χρήστης|παραλήπτης|διεύθυνση', 'δεν (?:υπάρχει|βρέθηκε)|άγνωστ'),
      saidOf('người dùng|người nhận|địa chỉ|tài khoản', 'không tồn tại|không tìm thấy'),
      'nie ma takiego (?:użytkown|adres|odbiorc|konta)',
      saidOf('adres|odbiorc|użytkownik|skrzynk|konto', 'nie (?:istnieje|znaleziono|został)|nieznan|nieprawidłow'),
      String.raw`nie można (?:odnaleźć|znaleźć)[^.\n]{0,40}(?:adres|odbiorc|użytkown)`,
      saidOf('adres|příjemc|uživatel|schránk', 'neexistuje|nenalezen|nebyl[ao]? nalezen|neznám'),
      saidOf('adres|kullanıcı|alıcı', 'bulunamad|mevcut değil|geçersiz'),
      saidOf(
        'адрес|пользовател|получател|ящик|абонент|користувач|одержувач',
        'не (?:был[ао]? )?(?:найден|существует|зарегистрирован|обнаружен|знайден|існує)|неизвестен|недействител|отсутствует',
      ),
      String.raw`(?:нет таког?о|неизвестный|несуществующ\S{1,4}|невідомий) (?:пользовател|получател|адрес|ящик|абонент|користувач)|такого (?:пользователя|адреса|ящика) нет`,
      saidOf(
        'ユーザ|宛先|宛て先|あて先|アドレス|受信者|メールボックス|アカウント',
        '存在し|見つかりません|見つからな|不明|無効|間違',
      ),
      saidOf('ディレクトリ|名簿|リスト', 'ありません|見つかりません|載って'),
      saidOf('用户|用戶|收件人|收件者|地址|账号|帐号|帳號|邮箱|信箱', '不存在|未找到|找不到|无效|無效|有误|错误|錯誤'),
      saidOf('주소|수신자|사용자|계정|받는 사람', '존재하지|없는|없습니다|찾을 수|잘못'),
      String.raw`존재하지 않는[^.\n]{0,20}(?:주소|사용자|계정|메일)`,
    ),
  },
  {
    category: 'TRANSIENT',
    hard: false,
    weak: true,
    words: anyOf(
      'zeitüberschreitung|vorübergehend|später (?:noch ?einmal|erneut)|nicht erreichbar|antwortet nicht|verzögert',
      'délai [^.\n]{0,20}(?:dépassé|expiré)|temporaire|ultérieurement|plus tard|injoignable|ne répond pas|retardé',
      'tiempo de espera|m[aá]s tarde|tempor(?:al|almente)[^a-z]|no responde|retras',
      'mais tarde|temporari[ao]|tempo (?:limite|esgotado)|não respond|atrasad',
      'più tardi|temporane|tempo scaduto|non risponde|ritard',
      'tijdelijk|vertraagd|reageert niet|tillfällig|midlertidig|försenad|forsinket|opóźnion|tymczasow|dočasn|geçici',
      'временн|позже|пізніше|не отвечает|истекло|задерж',
      '一時的|しばらく|後ほど|遅延|タイムアウト|混雑|暂时|暫時|稍后|稍後|超时|逾時|延迟|繁忙|일시적|나중에|지연',
    ),
  },
];
