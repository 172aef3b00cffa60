const DIGITS_A_STEP = 10; // 36^10 is below 2^53
const STEP = 36n ** BigInt(DIGITS_A_STEP);

export const toBase36 = (bytes: Buffer, length: number): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0');

/** Reads `toBase36` text in either case into `octets` bytes; null for other characters or too large a number. */
export const fromBase36 = (text: string, octets: number): Buffer | null => {
  if (!/^[0-9a-z]+$/i.test(text)) return null;
  let value = 0n;
  const head = text.length % DIGITS_A_STEP;
  if (head > 0) value = BigInt(parseInt(text.slice(0, head), 36));
  for (let at = head; at < text.length; at += DIGITS_A_STEP) {
    value = value * STEP + BigInt(parseInt(text.slice(at, at + DIGITS_A_STEP), 36));
  }
  const hex = value.toString(16).padStart(octets * 2, '0');
  return hex.length === octets * 2 ? Buffer.from(hex, 'hex') : null;
};
