import { beforeAll, expect, it } from '@jest/globals';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';

const sliceBytes = 4 * 1024 * 1024;

/** A file of nine megabytes: three slices. */
const large = {
  name: 'large.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    `email,note\n${Array.from({ length: 900 }, (_, n) => `large${n}@example.org,${'x'.repeat(10_000)}`).join('\n')}\n`,
  ),
};

describeInBrowser('imports', (fixture) => {
  beforeAll(() => fixture().setUp());

  const choose = async (visit: Visit, label: string, file: typeof large) => {
    const asked = visit.page.waitForEvent('filechooser');
    await visit.click(visit.field(label));
    await (await asked).setFiles(file);
  };

  it('goes on with an upload that broke off in another tab, and refuses another file', async () => {
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers/import');
    const offsets: number[] = [];
    await visit.page.route('**/file?offset=*', async (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      if (offset >= sliceBytes) return route.abort();
      offsets.push(offset);
      return route.continue();
    });
    await choose(visit, 'Choose a CSV file', large);
    await visit.page.getByText('The connection broke.').waitFor();
    expect(offsets).toEqual([0]);
    const address = visit.page.url();
    const other = await visit.another(address);
    await visit.page.close();
    await other.page.getByText('4.2 MB have arrived').waitFor();
    await choose(other, 'Go on with the file', { ...large, name: 'other.csv' });
    await other.page.getByText('This import is of large.csv, and the chosen file is other.csv.').waitFor();
    const bodies: number[] = [];
    other.page.on('request', (request) => {
      if (request.method() === 'PUT') bodies.push(Number(new URL(request.url()).searchParams.get('offset')));
    });
    await choose(other, 'Go on with the file', large);
    await other.field('Column note becomes').waitFor();
    expect(bodies).toEqual([sliceBytes, 2 * sliceBytes]);
    await other.click(other.button('Check'));
    await other.button('Import 900 subscribers').waitFor();
    await other.click(other.button('Cancel import'));
    await other.click(other.page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }));
    await other.heading('The import was canceled').waitFor();
    await other.close();
  });

  it('imports pasted rows by a changed mapping, and names the refused ones', async () => {
    await fixture().call('add_subscriber', { email: 'known@example.org', fields: { city: 'Bonn' } });
    await fixture().call('unsubscribe', { email: 'known@example.org' });
    const visit = await fixture().signedIn();
    await visit.open('/1/subscribers/import');
    await visit.click(visit.button('Paste rows'));
    await visit.type(
      visit.page.getByRole('textbox', { name: 'Rows' }),
      'Address\tTown\tNotes\nknown@example.org\tRome\tx\nnew@example.org\tOslo\ty\nno address\tKyiv\tz\n',
    );
    await visit.click(visit.button('Continue'));
    await visit.field('Column Address becomes').waitFor();
    expect(await visit.field('Column Address becomes').inputValue()).toBe('email');
    await visit.page.getByText('Rome · Oslo · Kyiv').waitFor();
    await visit.field('Column Town becomes').selectOption({ label: 'city' });
    await visit.field('Column Notes becomes').selectOption({ label: 'Leave out' });
    await visit.click(visit.button('Check'));
    await visit.page.getByText('The import creates 1 subscriber and updates 1. 1 row is left out.').waitFor();
    await visit.click(visit.page.getByText('Address is not valid'));
    await visit.page.getByRole('cell', { name: 'no address' }).waitFor();
    await visit.page.reload();
    await visit.click(visit.button('Import 2 subscribers'));
    await visit.heading('The import is done').waitFor();
    const href = await visit.link('Download the refused rows').getAttribute('href');
    const report = await visit.page.request.get(new URL(href!).pathname);
    expect(await report.text()).toContain('4,EMAIL_INVALID');
    const { subscriber } = await fixture().call<{ subscriber: object }>('get_subscriber', {
      email: 'known@example.org',
    });
    expect(subscriber).toMatchObject({ status: 'UNSUBSCRIBED', customFields: { city: 'Rome' } });
    await visit.click(visit.link('Import another file'));
    await visit.link('Pasted rows').waitFor();
    await visit.close();
  });
});
