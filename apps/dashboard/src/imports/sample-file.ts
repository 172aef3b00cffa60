import { importText } from '../messages/en/imports.js';

const sample = [
  'email,name,country,tags,city,since',
  'ada@example.com,Ada Lovelace,United Kingdom,"customer, newsletter",London,2026-01-15',
  'noor@example.com,Noor Haddad,France,newsletter,Lyon,2026-03-02',
  'lin@example.com,Lin Chen,TW,,Taipei,',
].join('\r\n');

/** Has the browser save a small file that imports without a change. */
export function saveSample(): void {
  const address = URL.createObjectURL(new Blob([sample], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = importText('sample.file');
  link.click();
  URL.revokeObjectURL(address);
}
