import { toAsciiDomain } from './email-address.js';

/** The best-known services of mailboxes that live for minutes, their main domains and aliases. */
const DISPOSABLE = new Set(
  `0-mail.com 10minutemail.com 10minutemail.net 20minutemail.com 33mail.com anonbox.net anonymbox.com
  armyspy.com binkmail.com bobmail.info bugmenot.com burnermail.io chacuo.net chammy.info cuvox.de dayrep.com
  deadaddress.com despammed.com devnullmail.com discard.email discardmail.com discardmail.de dispostable.com
  dodgit.com dropmail.me e4ward.com einrot.com emailfake.com emailondeck.com emailsensei.com emailtemporario.com.br
  fakeinbox.com fakemail.net fakemailgenerator.com fleckens.hu generator.email getairmail.com getnada.com
  grr.la guerrillamail.biz guerrillamail.com guerrillamail.de guerrillamail.info guerrillamail.net
  guerrillamail.org guerrillamailblock.com gustr.com harakirimail.com haltospam.com incognitomail.org
  inboxalias.com inboxkitten.com jetable.org jourrapide.com kasmail.com linshiyouxiang.net luxusmail.org
  mail-temp.com mail.tm mail7.io mailcatch.com maildrop.cc mailexpire.com mailforspam.com mailinator.com
  mailinator.net mailinator2.com mailmoat.com mailnesia.com mailnull.com mailpoof.com mailsac.com mailtemp.net
  meltmail.com minuteinbox.com mintemail.com moakt.com mohmal.com mt2015.com mytemp.email mytrashmail.com
  nada.email nospam.ze.tc notmailinator.com pokemail.net rhyta.com sharklasers.com shieldemail.com
  sogetthis.com spam4.me spambog.com spambox.us spamex.com spamgourmet.com spamhole.com spaml.de superrito.com
  teleworm.us temp-mail.io temp-mail.org tempail.com tempinbox.com tempmail.dev tempmail.net tempmail.plus
  tempmailaddress.com tempmailo.com tempr.email throwawaymail.com thisisnotmyrealemail.com tmail.ws tmpmail.net
  tmpmail.org trash-mail.com trashmail.com trashmail.de trashmail.net trbvm.com wegwerfemail.de wegwerfmail.de
  wegwerfmail.net yopmail.com yopmail.fr yopmail.net zetmail.com`.split(/\s+/),
);

/** Whether the domain, in any typed form, or one it is under, is a known service of throw-away mailboxes. */
export const isDisposableDomain = (domain: string): boolean => {
  let name = toAsciiDomain(domain) ?? '';
  for (;;) {
    if (DISPOSABLE.has(name)) return true;
    const dot = name.indexOf('.');
    if (dot < 0) return false;
    name = name.slice(dot + 1);
  }
};
