import { foreignWordings } from './bounce-phrases-i18n.js';
import { refusalWords } from './refusal-text.js';
import { anyOf } from './bounce-phrases.js';
import type { BounceClass, Wording } from './bounce-phrases.js';

export type { BounceClass };

/**
 * Tried in this order. Phrases about the sender or the content come first, since such texts often name a mailbox too.
 * Other languages follow the mailbox, since their reports advise a later attempt for every fault.
 */
const wordings: Wording[] = [
  {
    // Phrases about the sender, its domain or its other recipients, in words that otherwise describe a recipient.
    category: 'POLICY',
    hard: false,
    words: anyOf(
      String.raw`\b(?:helo|ehlo)\b[^.\n]{0,60}(?:reject|refus|denied|not|invalid|bad|unknown)|(?:bad|invalid|unknown) (?:helo|ehlo)\b`,
      String.raw`\byour (?:own )?(?:domain|host ?name|ip(?: address)?|e-?mail address|account|mail server)\b[^.\n]{0,30}(?:not (?:be )?(?:found|exist|resolve|known|valid)|does ?n.t exist|invalid|unknown|has no)`,
      String.raw`(?:resolve|find|records? (?:of|for)) your (?:domain|host ?name)\b|(?:mail|messages) from (?:an? )?(?:unknown|unresolvable|invalid|non-?existent) (?:hosts?|domains?|senders?)`,
      String.raw`(?:too many|number of|sent to(?: \w+)?) (?:unknown|invalid|bad|non-?existent) (?:users?|recipients|addresses|mail ?boxes)`,
      String.raw`\bsenders?(?:'?s)?\b[^.\n]{0,25}\b(?:callout|unknown|invalid|not (?:be )?(?:found|known|valid))|(?:verif\w{1,10}|callout)(?: \w{1,20}){0,3} sender`,
      String.raw`\b(?:mail from|return-?path|reverse-?path|envelope from)\b[^.:\n]{0,30}(?:invalid|not found|unknown|n.t exist)|\bfor (?:the )?envelope (?:from|sender)\b`,
      String.raw`\bnot (?:found )?(?:in|on) (?:an? |the |our )?(?:white|allow) ?list|\bin (?:the |a )?(?:url|message-?id)\b`,
      String.raw`(?:does(?: not|n't)|do not|don't|no longer) accepts? (?:any )?(?:mail|e-?mail|messages) (?:from|without|over|with|of|larger)\b|\bnot subscribed\b`,
      String.raw`\b(?:the|invalid|bad|missing) from:? (?:address|header|field)\b|\b(?:from|to|cc)[ :]+header\b|\bin (?:the|its|your) headers?\b`,
    ),
  },
  {
    // Carriers of Japan take every recipient, and say this of mail that they filter.
    category: 'POLICY',
    hard: false,
    words: /\b550 : user unknown|\b550[- ]'?unknown user \S{1,80}@\S{0,60}\b(?:docomo|ezweb|au)\./i,
  },
  {
    // The server could not write: its statements about users are then about its own fault.
    category: 'TRANSIENT',
    hard: false,
    words:
      /\bprocmail: |couldn't create "|can't create (?:user )?output|cannot (?:open|lock|create) (?:mail ?box|mail ?file)/i,
  },
  {
    // The recipient refuses such mail, or a relay sends none: the address may be sound.
    category: 'POLICY',
    hard: false,
    words: anyOf(
      String.raw`preferences of the recipient|recipient(?:'?s)? preferences|on the suppression list|rejected by (?:the )?recipients?\b(?! ?(?:domain|server|mail|host|'s))`,
      String.raw`\b(?:rejected|refused|denied|blocked|filtered|declined) (?:by|due to|because of) (?:an? |the )?(?:user|recipient|owner)(?:'?s)?(?: (?:account|mail ?box|e-?mail))? (?:rule|setting|filter|preference|choice|configuration|block ?list)`,
      String.raw`\bblocked by (?:the )?(?:user|recipient|owner)\b(?! ?(?:domain|server|mail|host|'s))`,
      String.raw`\b(?:user|recipient|owner)(?: has| have)? (?:refuse[sd]?|rejects|declines|block(?:s|ed)) (?:to |your |this |all |any |mail|e-?mail|message)|\buser reject\b`,
      // RST: a restriction that Exchange checked.
      String.raw`(?:does|do)(?: not|n't) (?:wish|want) to (?:receive|accept|get)|\bresolver\.rst\.`,
    ),
  },
  {
    category: 'INTERNAL',
    hard: true,
    words: /unable to get mx info/i,
  },
  {
    category: 'MAILBOX_FULL',
    hard: false,
    words:
      /(?:mail ?box|inbox|account|user|recipient|maildir|folder|message store)[^.\n]{0,60}\b(?:is |was |are |has )?(?:now )?(?:over ?full|full\b|out of (?:storage|space|disk)|exceed(?:s|ed|ing)?[^.\n]{0,30}(?:quota|limit|size|storage|allow)|over (?:(?:its|the|his|her|their|disk|storage|allowed) ){0,3}(?:quota|allotted|limit|maximum|storage))|overdrawn|over ?quota|quota (?:is )?(?:exceed|full|violation|limit)|exceed(?:s|ed|ing)? (?:[\w']+ ){0,4}(?:quota|storage (?:limit|allocation|space))|(?:disk|mail|storage|user) ?quota|insufficient (?:disk|storage|mailbox|system storage)|not enough (?:storage|space|disk)|mailbox (?:size|storage|quota) (?:limit|exceed)|mailfull|too much mail|out of storage space|boite pleine|boîte [^.\n]{0,20}pleine|postfach (?:ist )?voll|speicherplatz|no space left|quota[^.\n]{0,20} exceed|too many (?:messages|mails)|zuviele mails|allowed size|maildir over|(?:casilla|buz[oó]n)[^.\n]{0,30}(?:llen|agotad)/i,
  },
  {
    category: 'TRANSIENT',
    hard: false,
    words:
      /not found,?\s+(?:please )?try (?:again|later)|\bmaintenance\b|(?:ldap|database|directory|map) (?:server |lookup |connection ){0,2}(?:failed|failure|error|unavailable|refused|timed? ?out)|user lookup failed|verif\w{1,10} failed\W{1,3}(?:could not connect|connection|timed? ?out)|(?:malformed|unexpected) (?:or unexpected )?name ?server reply|(?:dns|lookup|name ?server|resol(?:ve|ution))[^.\n]{0,40}(?:tempor|timed? ?out)|tempor(?:ary|arily)[^.\n]{0,20} (?:dns|lookup|name ?server|resol)|servfail|receiving (?:mail|e-?mail|messages) (?:at a rate|too (?:quickly|fast))|sent (?:mail )?to too many recipients|unverified address|gr[ae]y-?list|domain[^.\n]{0,20} (?:suspended|disabled|expired|on hold)|lowest numbered mx record points to local host/i,
  },
  {
    category: 'CONTENT',
    hard: false,
    words:
      /(?:message|mail|size|attachment|body|data)[^.\n]{0,40}\b(?:too (?:big|large|long)|exceeds?[^.\n]{0,30}(?:size|limit|maximum|length))|(?:maximum|max) (?:message|mail|allowed)[^.\n]{0,10} ?size|size limit (?:exceeded|for)|exceeds (?:the )?(?:maximum )?(?:fixed )?(?:message )?size/i,
  },
  {
    category: 'BLOCKED',
    hard: false,
    words:
      /not accepting (?:mail|e-?mail|messages) (?:from|with)|access from ip|block ?list|black ?list|deny ?list|blocked (?:using|by|due|for|because|from|at|-)|(?:ip|sender|host|server|connection|address|domain|mail|message|email|been|is|was|are)[^.\n]{0,30} (?:been )?blocked|\bblocked\b|spamhaus|spamcop|sorbs|barracuda(?:central)?|uceprotect|senderscore|\bdnsb?l\b|\brbls?\b|reputation|banned sending|listed (?:in|at|on|by) [^\n]{0,30}(?:\.org|\.net|\.com|list)|dynamic ip|dial-?up|(?:bad|poor) (?:ip|sender)|banned|access denied\.? ?(?:,|ip|your)|reverse dns|\bptr\b|client host rejected|your (?:ip|host|server)[^.\n]{0,30}(?:reject|refus|denied|not (?:allowed|permitted|accepted))/i,
  },
  {
    category: 'CONTENT',
    hard: false,
    words:
      /spam|\b(?:uce|ube|junk)\b|quarantin|mass mailer|virus|infected|malware|phish|unsolicited|bulk (?:e-?)?mail|content[ -](?:reject|not|filter|based|restrict|violation)|message content|objectionable|(?:message|mail|email|transaction|data)[^.\n]{0,30}(?:filtered|rejected (?:by|due to|because of) (?:the )?(?:content|filter))|prohibited attachment|attachment(?:s)? (?:type )?(?:is |are )?not (?:allowed|permitted|accepted)|banned (?:file|attachment)|denied by (?:the )?(?:content|filter)/i,
  },
  {
    category: 'POLICY',
    hard: false,
    words:
      /\bspf\b|\bdkim\b|\bdmarc\b|authenticat|relay(?:ing)? (?:access |is |mail |not |to |from )?(?:denied|prohibited|permitted|allowed|not)|unable to relay|not permitted to relay|cannot relay|we do not relay|rcpthosts|relaying|not (?:allowed|authori[sz]ed|permitted) to (?:send|relay|post|submit)|policy|(?:sender|from|return|envelope(?! recipient))(?: address| domain)?[^.\n]{0,25}(?:rejected|refused|denied|not (?:accept|allow|verif)|does not (?:exist|resolve)|unverified)|sender verif|domain of sender|only (?:accept|allow)[^.\n]{0,30}(?:from|members|subscribers)|restricted|members? only|not (?:a )?member\b|moderat|permission (?:to|denied)|pas autorisé|nicht berechtigt|no (?:está|tiene) (?:autorizado|permiso)|não (?:está|tem) (?:autorizado|permissão)|was rejected by a remote mail server|confirm(?:ation)? (?:your|required)|challenge/i,
  },
  {
    category: 'TRANSIENT',
    hard: false,
    disabled: true,
    words:
      /(?:account|mail ?box|user|recipient|address|e-?mail)[^.\n]{0,60}\b(?:is |has been |was |been |currently |temporarily )?(?:disabled|deactivated|inactive|suspended|closed|terminated|discontinued|expired|locked|cancell?ed|frozen|not active|retired|dormant|blocked for inactivity)|(?:disabled|inactive|suspended|expired|closed|locked|discontinued|deactivated) (?:user|account|mail ?box|recipient|address)|no longer (?:active|accept|receiv)|not (?:currently )?accepting (?:messages|mail|e-?mail|new)|account that you tried to reach is (?:disabled|inactive)/i,
  },
  {
    category: 'INTERNAL',
    hard: true,
    words:
      /no longer (?:in use|used|available|valid|exist|with|work|employ|at|a |on|here|in service|monitor)|does(?: not|n't) (?:currently )?(?:accept|receive) (?:any )?(?:mail|e-?mail|messages)|null ?mx/i,
  },
  {
    category: 'INTERNAL',
    hard: true,
    words:
      /(?:no mail hosts?|valid mx or a record) for|mail (?:server|exchanger) (?:for (?:the )?(?:\S{1,80} )?domain )?could not be (?:found|located)|destination (?:server|system)(?: (?!be\b)\w{1,15}){0,4} (?:could not be found|does not exist)|no address associated with (?:host|name)|nodename nor servname|(?:host|domain)(?: name)? (?:\S{1,80} )?(?:not found|unknown\b(?! ?(?:user|recipient|mailbox|address|local))|could ?n[o']t be found|does ?n[o']t exist)|unknown (?:host|domain)\b|non-?existent ?domain|nxdomain|no smtp service|no dns entries for|all host address lookups failed permanently|no (?:mail exchangers?|mail servers?|mx(?: or a)?(?: records?)?) for|non-?existent host|unresolvable (?:host|domain)|no route found to domain|recipient domain must exist|domain is not reachable[^\n]{0,10} check the domain|(?:unable to|could ?n[o']t|can(?:not|'t)|failed to) (?:find|resolve|locate) (?:the )?(?:\w+ )?(?:host|domain)\b/i,
  },
  {
    category: 'NO_SUCH_USER',
    hard: true,
    words:
      /(?:user|mail ?box|recipient|address(?:ee|es)?|account|alias|person|employee|login|name|local ?part|adresse|empf[aä]nger|destinat(?:ion|aire))(?: (?:address|name|account|id|mailbox|email))?(?: for)?\W{0,3}(?:[<"'(]?[^\s<>]{1,80}@[^\s<>]{1,80}[>"')]?\W{0,3})?\s*(?:is |was |are |were |has |could |can ?not be |seems |in |does |do )?(?:an? |been |to be |not )?(?:(?:be )?unknown|not (?:be )?(?:found|known|exist|valid|listed|local|recogni[sz]ed|resolved|present|registered|a valid|our customer|on this|here)|unavailable|does ?n[o']t exist|invalid|non-?existent|rejected|undeliverable|deleted|removed|bad|ambiguous|wrong|inconnue?|unbekannt)/i,
  },
  {
    category: 'NO_SUCH_USER',
    hard: true,
    words:
      /invalid final delivery userid|(?:unknown|no such|invalid|non-?existent|illegal|bad|incorrect|unrecogni[sz]ed|undefined|no valid|unresolvable|wrong|not a valid|not a known|not our)[ -](?:or [\w-]+ )?(?:virtual |local |e-?mail |destination |to |smtp |forward[- ]path |system )?(?:user|mail ?box|recipients?|address(?:ee)?|account|alias|local.?part|person|name|customer|domain user)|user(?:name)? unknown|(?:does|do|did)(?: not|n't) exist|no (?:such )?(?:person|account|one) (?:at|by|with|named|here)|user doesn't|(?:does|do)(?: not|n't) have an? [^\n]{0,50}account|not listed in|not found in (?:directory|the)|not known (?:at|here|on)|recipnotfound|unroute?able address|undeliverable address|recipient verif(?:y|ication) failed|not in my validrcptto|bad_?rcptto|badrecipientto|envelope recipient has been denied|mailbox name not allowed|not (?:listed |found )?in (?:our|the|this) (?:\w+ )?(?:directory|address book)|recipient[^.\n]{0,10} rejected|address rejected|mailbox (?:unavailable|found|available)|no mail ?box|bad_recipient|not a registered|nie istnieje|(?:can(?:not|'t)|could ?n[o']t|unable to) (?:find|locate|resolve) (?:the |that |this )?(?:user|recipient|mail ?box|address|alias)|no matches to nameserver query|couldn't be (?:found|delivered)|wasn't found at|kein (?:solcher )?(?:empf|benutzer|postfach)|n'existe pas|isn't (?:in|a member)|unknown to|no recipients|not a local address|no valid hosts|(?:has|have) moved/i,
  },
  {
    category: 'INTERNAL',
    hard: true,
    words:
      /(?:host|domain|server|name|site|destination)(?: name)?\W{0,3}(?:[^\s]{1,80}\s)?(?:is |was |could |cannot be |does )?(?:not )?(?:be )?(?:unknown|not (?:be )?found|not resolv|unresolvable|nonexistent|does ?n[o']t exist|invalid|lookup failed)|(?:unknown|no such|bad|unrouteable|invalid|illegal|couldn't find any) (?:mail )?(?:host|domain|destination)|unrouteable mail domain|name or service not known|no mx|nxdomain|bad destination|type=(?:a|mx|aaaa)[^\n]{0,60}not found|(?:name|domain|dns) (?:service )?(?:error|lookup)|couldn't find (?:any )?host|no route to domain|mx (?:record|lookup|host)/i,
  },
  ...foreignWordings,
  {
    category: 'OTHER',
    hard: false,
    words: /loops? back to|mail loop|(?:message|mail) is looping|routing loop|hop count|too many hops/i,
  },
  {
    category: 'TRANSIENT',
    hard: false,
    weak: true,
    words:
      /grey ?list|gr[ae]y-?listed|try (?:again|later|your|back)|later|tempor(?:ary|arily)|throttl|too (?:many|fast|frequent)|rate limit|defer|timed? ?out|timeout|retry|connection (?:refused|reset|lost|closed|dropped|failed|died)|(?:lost|refused|unable to establish|establish an?|could not open|could(?:n't| not)|cannot|failed to|unable to) (?:connect|connection)|not respond|no route|unreachable|not reachable|in the queue too long|(?:still|not yet) (?:been )?(?:un)?deliver|delayed|resources|overload|busy|unavailable|server error|local (?:error|problem)|i\/o error|system (?:not|error|failure)|shutting down|expired|multiple (?:retries|attempts)|failed \d+ attempts|too old/i,
  },
];

const sending =
  /access denied|no access (?:from|by|for)|open relay|cannot send|administrative(?:ly)? prohibit|\b(?:helo|ehlo|mail from)\b|\bcall(?:out|back)\b|(?:not |un)authori[sz]ed|\bauth\b|forbidden|prohibited|spoof|forged|suspicious|\burl\b|\bheaders?\b|\b(?:rate|limit)s?\b[^.\n]{0,20}exceed|(?:messages?|mails?|e-?mails?|connections?|submission|delivery)\b[^\n]{0,60}(?:rejected|refused|denied|not (?:sent|accepted|allowed|permitted))|\b(?:your|this) (?:ip|host|server|network|isp)|\bip (?:address )?(?:is )?not (?:allowed|permitted)|\bfrom this\b|not (?:in|on) (?:an? |the |our )?(?:authori[sz]ed|allow)/i;

/** Bounds the text, since any server may write it: the patterns look some words ahead from each word. */
const lengthMax = 8_000;

const wordingOf = (text: string): Wording | undefined => {
  const said = refusalWords(text.slice(0, lengthMax));
  return wordings.find(({ words }) => words.test(said));
};

export function classByWords(text: string): BounceClass | null {
  const found = wordingOf(text);
  return found ? { bounceType: found.hard ? 'HARD' : 'SOFT', bounceCategory: found.category } : null;
}

/** Classifies without phrases that occur in refusals of any kind. */
export const classByStrongWords = (text: string): BounceClass | null =>
  wordingOf(text)?.weak ? null : classByWords(text);

/** Whether the words of a refusal or bounce name a mailbox that is disabled, suspended or closed. */
export const saysMailboxDisabled = (text: string): boolean => wordingOf(text)?.disabled === true;

/**
 * Whether a reply that matches none of the phrases above is about the sender, its host, its rate or its kind of mail.
 * Servers say 550 for that as well as for a missing mailbox.
 */
export const isAboutSending = (text: string): boolean => sending.test(refusalWords(text.slice(0, lengthMax)));

/** How Exchange, IMail, Domino, MMS centres, Gmail, qmail, Exim, Mercury and MDaemon say that they know no such address. */
const ownLookUp = anyOf(
  String.raw`recipient name is not recogni[sz]ed|account does not exist at the organi[sz]ation|not found by smtp address lookup`,
  String.raw`address (?:(?:could ?n[o']t be|could not be|not|was not|wasn't) found|you entered could ?n[o']t be found)`,
  String.raw`invalid final delivery userid|not listed in (?:public |domino )?(?:name & address book|directory)`,
  String.raw`no valid recipients for this mm|no mailbox here by that name|unroute?able address|not known at this site`,
  String.raw`(?:no such|unknown) local user|unknown user account`,
);

/**
 * Whether the words say that the reporting server looked the address up itself. Words in other languages are its own,
 * since servers reply to each other in English.
 */
export const saysOwnLookUp = (text: string): boolean => {
  const found = wordingOf(text);
  return ownLookUp.test(text.slice(0, lengthMax)) || (found !== undefined && foreignWordings.includes(found));
};

const unknownUser =
  /(?:user|recipient|mailbox|address|account)(?: is)? (?:unknown|not found)|unknown (?:or illegal |local |virtual )?(?:user|recipient|address|mailbox|account|alias)|no such (?:user|mailbox|recipient|person|address|account)|(?:does|do)(?: not|n't) exist|no mailbox here|addressee unknown|recipientnotfound|(?:recipient|user)(?:name)? (?:name )?(?:is )?not (?:recognized|known|listed)|undeliverable address/i;

/** Whether the words name an address that does not exist, regardless of the other words. */
export const saysUnknownUser = (text: string): boolean => unknownUser.test(refusalWords(text.slice(0, lengthMax)));
