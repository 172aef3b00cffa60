import { describe, expect, it } from '@jest/globals';
import { encodeText } from './transfer-encoding.js';

describe('the encoding of a text part', () => {
  it.each([
    ['plain text', 'Hello, you', 'Hello, you'],
    ['every kind of line break', 'a\nb\r\nc\rd\n\re', 'a\r\nb\r\nc\r\nd\r\n\r\ne'],
    ['an equals sign and what is not ASCII', '1 = 2, not a café', '1 =3D 2, not a caf=C3=A9'],
    ['blanks at the end of a line and of the text', 'a \nb\t\rc  ', 'a=20\r\nb=09\r\nc =20'],
    ['a blank, blanks and a tab within a line', 'a b  c   d\te', 'a b =20c =20=20d=09e'],
    ['dots that begin a line', '.\na.b\n..', '=2E\r\na.b\r\n=2E.'],
    ['NUL', 'a\0 \0\nb', 'a=20\r\nb'],
    ['nothing', '', ''],
  ])('writes %s', (_name, text, lines) => {
    expect(encodeText(text)).toEqual({ encoding: 'quoted-printable', lines });
  });

  it('breaks lines softly after 75 characters, and never within an escaped octet', () => {
    expect(encodeText('a'.repeat(76)).lines).toBe(`${'a'.repeat(75)}=\r\na`);
    expect(encodeText(`${'a'.repeat(73)}=b`).lines).toBe(`${'a'.repeat(73)}=\r\n=3Db`);
    expect(encodeText(`${'a'.repeat(75)}.b`).lines).toBe(`${'a'.repeat(75)}=\r\n=2Eb`);
  });

  it('breaks no character of several octets', () => {
    expect(encodeText(`${'a'.repeat(69)}é`).lines).toBe(`${'a'.repeat(69)}=C3=A9`);
    expect(encodeText(`${'a'.repeat(70)}é`).lines).toBe(`${'a'.repeat(70)}=\r\n=C3=A9`);
    expect(encodeText(`${'a'.repeat(64)}🙂`).lines).toBe(`${'a'.repeat(64)}=\r\n=F0=9F=99=82`);
  });

  it('takes base64 where that is shorter', () => {
    const { encoding, lines } = encodeText('Привет\nмир');
    expect(encoding).toBe('base64');
    expect(Buffer.from(lines, 'base64').toString()).toBe('Привет\r\nмир');
  });

  it('gives a long text the lines that its parts have', () => {
    const part = `<p style="a">${'Good day. '.repeat(9)}Größe</p>\n`;
    const times = 4_000;
    expect(encodeText(part.repeat(times)).lines).toBe(encodeText(part).lines.repeat(times));
  });
});
