import type { Block, Inline, TextStyle } from './block.js';
import type { LinkTarget } from '../variable/link-target.js';

export interface Organization {
  name: string;
  address: string | null;
}

const UNSUBSCRIBE: Record<string, string> = {
  ar: 'إلغاء الاشتراك',
  cs: 'Odhlásit odběr',
  da: 'Afmeld',
  de: 'Abmelden',
  el: 'Κατάργηση εγγραφής',
  en: 'Unsubscribe',
  es: 'Darse de baja',
  fi: 'Peruuta tilaus',
  fr: 'Se désabonner',
  he: 'הסרה מרשימת התפוצה',
  it: 'Annulla iscrizione',
  ja: '配信停止',
  ko: '수신 거부',
  nb: 'Meld deg av',
  nl: 'Afmelden',
  pl: 'Wypisz się',
  pt: 'Cancelar inscrição',
  ru: 'Отписаться',
  sv: 'Avsluta prenumerationen',
  tr: 'Abonelikten çık',
  uk: 'Відписатися',
  zh: '退订',
};

const STYLE: TextStyle = { bold: false, italic: false, underline: false, strike: false, code: false, color: null };

const line = (inlines: Inline[]): Block => ({
  kind: 'text',
  tag: 'p',
  align: 'center',
  direction: null,
  inlines,
  path: [],
  show: null,
});

const words = (text: string, link: LinkTarget | null = null): Inline => ({
  kind: 'text',
  text: [text],
  style: STYLE,
  link,
});

export const addressLines = ({ address }: Organization): string[] =>
  (address ?? '')
    .split(/[\r\n]+/u)
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * The organization's lines under a mail: name and postal address unless the content already gives the address, and an
 * unsubscribe link unless every reader sees one in the content.
 */
export const footerBlocks = (
  organization: Organization,
  { givesAddress, givesUnsubscribe }: { givesAddress: boolean; givesUnsubscribe: boolean },
  language = 'en',
): Block[] => {
  const blocks: Block[] = [];
  const signature = [organization.name.trim(), ...addressLines(organization)].filter(Boolean);
  if (!givesAddress && signature.length > 0) blocks.push(line([words(signature.join(' · '))]));
  if (!givesUnsubscribe) {
    const target: LinkTarget = { parts: [{ variable: 'unsubscribeUrl', fallback: null }], tag: null };
    blocks.push(line([words(UNSUBSCRIBE[language.toLowerCase().split('-')[0]!] ?? UNSUBSCRIBE.en!, target)]));
  }
  return blocks;
};
