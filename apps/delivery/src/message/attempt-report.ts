/** The command that a reply answers (RFC 5321 3.3); `END_OF_DATA` is the final dot. */
export type SmtpStage = 'MAIL' | 'RCPT' | 'DATA' | 'END_OF_DATA';

/**
 * What the SMTP client observed of one delivery attempt. `replied`: the relay answered, and its last reply counts.
 * `lost`: the connection broke or timed out; `dotWritten` is true if the relay may have the whole message. `withheld`:
 * nothing was put on the wire. `simulated`: a fixture address.
 */
export type AttemptReport =
  | ({ kind: 'replied' } & Reply)
  | { kind: 'lost'; dotWritten: boolean; reason: string }
  | { kind: 'withheld'; reason: string }
  | { kind: 'simulated' };

/**
 * Replies about the session, not about this message, which the next connection may take. They are bad sequences and
 * syntax (RFC 5321 4.2.2), and authentication required or refused (RFC 4954 section 6).
 */
const sessionCodes = new Set([500, 501, 502, 503, 504, 530, 534, 535, 538]);

/** What follows a stored refusal, so that its stage remains known. */
const stageSuffixes: Record<SmtpStage, string> = {
  MAIL: ' (in answer to MAIL FROM)',
  RCPT: '',
  DATA: ' (in answer to DATA)',
  END_OF_DATA: ' (in answer to end of DATA)',
};

export const withStage = (response: string, stage: SmtpStage | undefined): string =>
  `${response}${stage ? stageSuffixes[stage] : ''}`;

/** Whether a stored refusal came before a recipient was named, so that it counts against no recipient. */
export const isBeforeRecipient = (response: string): boolean => response.endsWith(stageSuffixes.MAIL);

/** Whether a stored refusal came after the recipient was accepted: a filter may have given it. */
export const isAfterRecipient = (response: string): boolean =>
  response.endsWith(stageSuffixes.DATA) || response.endsWith(stageSuffixes.END_OF_DATA);

interface Reply {
  code: number;
  response: string;
  /** The command that was refused; missing if the relay took the message, or the client itself refused it. */
  stage?: SmtpStage;
  /** The relay was taking no mail when it replied: its reply to a message may be about its own state. */
  relayInTrouble?: true;
}

/** Some servers refuse the greeting or the sender only in reply to RCPT. */
const earlierCommand = /\b(?:helo|ehlo|sender|from)\b/i;

/**
 * Whether a reply is about the session. Servers also reply 501 to an address that they cannot parse: with an enhanced
 * code of the address (X.1), or without any.
 */
function isAboutSession({ code, response, stage }: Reply): boolean {
  if (!sessionCodes.has(code)) return false;
  const enhanced = enhancedCodeOf(response);
  if (enhanced !== null) return !enhanced.startsWith('5.1.');
  return code !== 501 || stage !== 'RCPT' || earlierCommand.test(response);
}

export const isFinalRefusal = (reply: Reply): boolean =>
  reply.code >= 500 && reply.code < 600 && !isAboutSession(reply);

/** Classifies the relay by a delivery attempt: `well` it works, `busy` it defers, `ill` it does not work. */
export function relayVerdict(report: AttemptReport): 'well' | 'busy' | 'ill' | null {
  switch (report.kind) {
    case 'replied':
      if (report.code === 421 || isAboutSession(report)) return 'ill';
      return report.code >= 400 && report.code < 500 ? 'busy' : 'well';
    case 'lost':
      return 'ill';
    case 'withheld':
    case 'simulated':
      return null;
  }
}

/** Whether a report came while the relay took no mail, or says so, and thus says nothing of the recipient. */
export const isRelayUnavailable = (report: AttemptReport): boolean =>
  relayVerdict(report) === 'ill' || (report.kind === 'replied' && report.relayInTrouble === true);

const greylisting = /gr[ae]y-?list/i;
const throttling = /throttl|\brate\b|too (?:many|fast|much)|limit|temporarily (?:deferred|blocked)/i;
/** A mailbox has limits too, and they say nothing about its domain. */
const mailboxFull = /mailbox|quota|storage/i;

/**
 * Classifies the recipient's domain by a delivery attempt. `busy`: it takes nothing from us for now, by its policy or
 * because no host of it can be reached (RFC 3463 X.7 and X.4). Greylisting is not `busy`, since only further attempts
 * end it. `well`: it decided.
 * @returns null if the report says nothing of the domain, as a reply to MAIL FROM, which comes before the domain is
 * named
 */
export function receiverVerdict(report: AttemptReport): 'well' | 'busy' | null {
  if (report.kind !== 'replied' || report.stage === 'MAIL') return null;
  const { code, response } = report;
  if (code < 300 || isFinalRefusal(report)) return 'well';
  if (code >= 500 || greylisting.test(response)) return null;
  const enhanced = enhancedCodeOf(response);
  if (enhanced !== null) return /^4\.[47]\./.test(enhanced) ? 'busy' : null;
  return code === 421 || (throttling.test(response) && !mailboxFull.test(response)) ? 'busy' : null;
}

/** The enhanced status code of a reply (RFC 3463): `5.1.1` of `550 5.1.1 No such user`. */
export const enhancedCodeOf = (response: string): string | null =>
  /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null;
