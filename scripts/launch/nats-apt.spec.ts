import { describe, expect, it } from '@jest/globals';
import { parseDeb822, parseOneLine } from './nats-apt.mjs';

describe("apt's source lists", () => {
  const debian = { uri: 'http://mirror.internal/debian', suite: 'bookworm', components: ['main', 'contrib'] };

  it('are read in one-line style', () => {
    const text = `# a comment
      deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://mirror.internal/debian bookworm main contrib # why
      deb-src http://mirror.internal/debian bookworm main
      deb http://mirror.internal/debian bookworm main contrib`;
    expect(parseOneLine(text)).toEqual([
      { ...debian, signedBy: '/usr/share/keyrings/a.gpg' },
      { ...debian, signedBy: undefined },
    ]);
  });

  it('are read in deb822 style, without disabled ones', () => {
    const text = `Types: deb deb-src
# an older address
URIs: http://mirror.internal/debian
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/a.gpg

Enabled: no
Types: deb
URIs: http://mirror.internal/other
Suites: bookworm
Components: main`;
    const signedBy = '/usr/share/keyrings/a.gpg';
    expect(parseDeb822(text)).toEqual([
      { ...debian, signedBy },
      { ...debian, suite: 'bookworm-updates', signedBy },
    ]);
  });
});
