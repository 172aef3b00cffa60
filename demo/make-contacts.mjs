/**
 * Writes demo/contacts.csv: 2,000 subscribers with names in several languages and alphabets, always the same ones.
 * Addresses end in .internal, which is reserved for private use and reaches no mailbox.
 */
import { writeFileSync } from 'node:fs';

/** A small seeded generator (mulberry32): the same seed gives the same file everywhere. @param {number} seed */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Language, towns, and pairs of a name as written and as it appears in an address. */
const peoples = [
  {
    language: 'fr',
    towns: ['Lyon', 'Nîmes', 'Orléans'],
    given: 'Chloé:chloe,Benoît:benoit,Zoé:zoe,Thérèse:therese,Loïc:loic,Anaïs:anais,Gaël:gael',
    family: "Lefèvre:lefevre,Muñoz-Petit:munozpetit,D'Aubigné:daubigne,Château:chateau,Noël:noel,Garçon:garcon",
  },
  {
    language: 'de',
    towns: ['Köln', 'Zürich', 'Graz'],
    given: 'Jürgen:juergen,Käthe:kaethe,Björn:bjoern,Sören:soeren,Änne:aenne,Max:max',
    family: 'Müller:mueller,Weiß:weiss,Größer:groesser,Schäfer:schaefer,von der Heide:vdheide',
  },
  {
    language: 'es',
    towns: ['Málaga', 'Córdoba', 'León'],
    given: 'José:jose,Íñigo:inigo,María José:mariajose,Ángela:angela,Raúl:raul',
    family: 'Muñoz:munoz,Peña:pena,Ibáñez:ibanez,García López:garcialopez',
  },
  {
    language: 'pl',
    towns: ['Łódź', 'Kraków', 'Gdańsk'],
    given: 'Łukasz:lukasz,Żaneta:zaneta,Małgorzata:malgorzata,Paweł:pawel',
    family: 'Wójcik:wojcik,Błaszczyk:blaszczyk,Żółć:zolc,Kwiatkowski:kwiatkowski',
  },
  {
    language: 'tr',
    towns: ['İzmir', 'Ankara', 'Muğla'],
    given: 'İpek:ipek,Oğuz:oguz,Şule:sule,Çağla:cagla',
    family: 'Yıldız:yildiz,Öztürk:ozturk,Güneş:gunes',
  },
  {
    language: 'ru',
    towns: ['Казань', 'Тверь', 'Пермь'],
    given: 'Анна:anna,Юрий:yuri,Зоя:zoya,Фёдор:fyodor',
    family: 'Иванова:ivanova,Щукин:shchukin,Королёв:korolyov',
  },
  {
    language: 'el',
    towns: ['Πάτρα', 'Χανιά'],
    given: 'Ελένη:eleni,Γιώργος:giorgos,Χρήστος:christos',
    family: 'Παππάς:pappas,Οικονόμου:oikonomou',
  },
  {
    language: 'ar',
    towns: ['القاهرة', 'تونس'],
    given: 'ليلى:layla,يوسف:yusuf,نور:nour,عمر:omar',
    family: 'حداد:haddad,منصور:mansour,الفاسي:alfassi',
  },
  { language: 'he', towns: ['חיפה', 'ירושלים'], given: 'נועה:noa,יוסי:yossi', family: 'כהן:cohen,לוי:levy' },
  { language: 'hi', towns: ['पुणे', 'जयपुर'], given: 'अनीता:anita,राज:raj,मीरा:meera', family: 'शर्मा:sharma,वर्मा:varma' },
  {
    language: 'zh',
    towns: ['臺北', '杭州'],
    given: '美玲:meiling,偉:wei,建國:jianguo',
    family: '王:wang,歐陽:ouyang,陳:chen',
  },
  {
    language: 'ja',
    towns: ['京都', '札幌'],
    given: 'さくら:sakura,健太:kenta,葵:aoi',
    family: '佐藤:sato,渡邉:watanabe',
  },
  { language: 'ko', towns: ['부산', '대전'], given: '지우:jiwoo,민준:minjun', family: '김:kim,박:park' },
  { language: 'vi', towns: ['Huế', 'Đà Nẵng'], given: 'Thị Hương:thihuong,Đức:duc', family: 'Nguyễn:nguyen,Trần:tran' },
  {
    language: 'en',
    towns: ['Leeds', 'Galway', 'Perth'],
    given: 'Ada:ada,Siobhán:siobhan,Mary-Jane:maryjane,Ian:ian,Renée:renee',
    family: "O'Neill:oneill,Smith:smith,McDonald:mcdonald,King, Jr.:king",
  },
].map(({ language, towns, given, family }) => ({ language, towns, given: pairs(given), family: pairs(family) }));

/** @param {string} text */
function pairs(text) {
  // A comma before a space belongs to the name ("King, Jr.").
  return text.split(/,(?! )/).map((pair) => {
    const [written = '', latin = ''] = pair.split(':');
    return { written, latin };
  });
}

const random = generator(20_260_101);
/** @type {<T>(list: T[]) => T} */
const pick = (list) => /** @type {any} */ (list[Math.floor(random() * list.length)]);
const quote = (/** @type {string} */ value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const lines = ['email,name,town,language,member since'];
for (let n = 1; n <= 2000; n++) {
  const people = pick(peoples);
  const given = pick(people.given);
  const family = pick(people.family);
  const eastern = ['zh', 'ja', 'ko'].includes(people.language);
  const name = eastern ? `${family.written} ${given.written}` : `${given.written} ${family.written}`;
  const plus = random() < 0.05 ? '+news' : '';
  const local = `${given.latin}.${family.latin}${n}${plus}`;
  const email = `${random() < 0.05 ? local.toUpperCase() : local}@${pick(['post', 'mail', 'contacts'])}.internal`;
  const since = 2010 + Math.floor(random() * 16);
  lines.push([email, name, pick(people.towns), people.language, String(since)].map(quote).join(','));
}
writeFileSync(new URL('contacts.csv', import.meta.url), lines.join('\n') + '\n');
