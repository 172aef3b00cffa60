const UUID_OCTETS = 16;
const UUID_DASHES = [8, 13, 18, 23];
const PERIOD = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** Position of each octet's two digits in a UUID. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** By character code; -1 for a character that is not a hex digit. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

const digit = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? -1;

/** @throws RangeError for what is no UUID in hex with dashes */
export const writeUuid = (uuid: string, into: Buffer, at: number): number => {
  let isUuid = uuid.length === 36 && UUID_DASHES.every((place) => uuid[place] === '-');
  for (let octet = 0; isUuid && octet < UUID_OCTETS; octet++) {
    const place = UUID_PLACES[octet]!;
    const value = (digit(uuid, place) << 4) | digit(uuid, place + 1);
    isUuid = value >= 0;
    into[at + octet] = value;
  }
  if (!isUuid) throw new RangeError(`Not a UUID: ${uuid}`);
  return at + UUID_OCTETS;
};

export const readUuid = (from: Buffer, at: number): string => {
  const hex = from.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Writes a month `yyyy-mm` as its number since year 0, in two octets. @throws RangeError */
export const writePeriod = (period: string, into: Buffer, at: number): number => {
  if (!PERIOD.test(period)) throw new RangeError(`Not a month: ${period}`);
  return into.writeUInt16BE(Number(period.slice(0, 4)) * 12 + Number(period.slice(5)) - 1, at);
};

export const readPeriod = (from: Buffer, at: number): string => {
  const months = from.readUInt16BE(at);
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
};
