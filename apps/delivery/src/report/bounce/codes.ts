export interface FoundCodes {
  /** RFC 5321 4.2. */
  reply: number | null;
  /** RFC 3463. */
  status: string | null;
}

/** Reply codes that mail servers use; other numbers in a text are ports, sizes and years. */
const replyCodes =
  '421|422|431|432|441|442|446|447|449|450|451|452|453|454|455|458|459|471|50[0-4]|51[0-7]|52[1-5]|53[0-5]|538|541|55[0-7]|571|572|573|581';
const enhanced = String.raw`[45]\.[0-7]\.\d{1,3}`;
/** `550 5.1.1 …`, `550-5.1.1 …`, `550 #5.1.1 …`: the surest form. */
const both = new RegExp(String.raw`(?<![\d.])(${replyCodes})[ \t-]+[(#]*(${enhanced})(?![\d.]\d)`);
const statusAlone = new RegExp(String.raw`(?:^|[\s#(<[:;=>"'-])(${enhanced})(?=$|[\s):;,>\]#"'-])`);
const replyAlone = new RegExp(
  String.raw`(?:^|[\s(:;>"'#[=-])(${replyCodes})(?:[ \t]+|-(?=[A-Za-z ]))(?=[A-Za-z<"'*([#+¡¿\p{L}\\])`,
  'u',
);
/** What follows such words on a line is a version or an address. */
const versions = /\b(?:exim|postfix|sendmail|qmail|version|mailer|spamassassin|ident|release|id)\b.*/gi;
const dotted = /\b\d{1,3}(?:[.-]\d{1,3}){3,}\b/g;

export function findCodes(text: string): FoundCodes {
  const sure = both.exec(text);
  if (sure) return { reply: Number(sure[1]), status: sure[2]! };
  const cleaned = text.replace(dotted, ' ');
  const lines = cleaned.split('\n').map((line) => line.replace(versions, ''));
  const first = (pattern: RegExp, among: readonly string[]) =>
    among.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? null;
  const reply = first(replyAlone, cleaned.split('\n'));
  return { status: first(statusAlone, lines), reply: reply === null ? null : Number(reply) };
}
