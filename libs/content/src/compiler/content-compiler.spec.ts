import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ContentCompiler, ContentTooComplex } from './content-compiler.js';

const file = pathToFileURL(join(process.env.TIDINGS_BUILD_DIR!, 'libs/content/src/compiler/content.worker.js')).href;
const ofOrganization = (organizationId: string) => ({ organizationId, deadline: Infinity });
/** As content that was stored before there were limits: `compileMail` itself refuses nothing. */
const mail = (content: string) => ({
  subject: 'Hello',
  preview: null,
  type: 'MARKDOWN' as const,
  content,
  snippets: {},
  organization: { name: 'Garden Shop', address: null },
  footer: true,
});
const table = (rows: number, salt: string) => `a|b|c|d\n-|-|-|-\n${'1|2|3|4\n'.repeat(rows)}${salt}`;
const letter = `${'word '.repeat(1_000)}\n\n[a](https://shop.internal)`;

describe('the content compiler', () => {
  const compilers: ContentCompiler[] = [];
  const compiler = (options: object = {}) => {
    const one = new ContentCompiler({ file, ...options });
    compilers.push(one);
    return one;
  };
  afterEach(async () => {
    await Promise.all(compilers.splice(0).map((one) => one.stop()));
  });

  it('compiles the same on a thread as in place', async () => {
    const { compileMail } = await import('../template/compile-mail.js');
    const compiled = await compiler().run('compileMail', ofOrganization('a'), mail(letter));
    expect(compiled).toEqual(compileMail(mail(letter)));
  });

  it('leaves the thread that serves calls free, and delays no organization by the contents of another', async () => {
    const one = compiler();
    await one.run('compileMail', ofOrganization('b'), mail(letter));
    const order: string[] = [];
    const heavy = Array.from({ length: 3 }, (_, n) =>
      one.run('compileMail', ofOrganization('a'), mail(table(1_000, String(n)))).then(() => order.push(`a${n}`)),
    );
    let iterations = 0;
    let on = true;
    const turn = () => {
      iterations += 1;
      if (on) setImmediate(turn);
    };
    turn();
    await one.run('compileMail', ofOrganization('b'), mail(`${letter} again`)).then(() => order.push('b'));
    await Promise.all(heavy);
    on = false;
    expect(order.indexOf('b')).toBeLessThan(2);
    expect(iterations).toBeGreaterThan(1_000);
  });

  it('refuses content past the limit of time, and works on the next', async () => {
    const one = compiler({ timeLimitMs: 200, threads: 1 });
    // Takes three times the limit of time and two thirds of the limit of memory, so that only the first can be passed.
    const refused = one.run('compileMail', ofOrganization('a'), mail(table(8_000, '')));
    await expect(refused).rejects.toThrow(ContentTooComplex);
    await expect(refused).rejects.toThrow(/^needs more than 0.2 s to be read; simplify or shorten it$/);
    await expect(one.run('compileMail', ofOrganization('a'), mail(letter))).resolves.toMatchObject({ warnings: [] });
  });

  it('gives an answer that is known without working again, and bounds what it keeps by size', async () => {
    const one = compiler();
    const first = await one.run('compileMail', ofOrganization('a'), mail(letter));
    expect(await one.run('compileMail', ofOrganization('a'), mail(letter))).toBe(first);
    expect(one.keptSize).toBe(JSON.stringify(first).length);
  });
});
