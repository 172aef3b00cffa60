import type { ReactNode } from 'react';
import { importText } from '../messages/en/imports.js';
import { number } from '../messages/format.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { ConfirmImport } from './confirm-import.js';
import { ImportCounts } from './import-counts.js';
import { refusedRows } from './mapping.js';
import type { Import, ImportCheck } from './mapping.js';

type Sample = ImportCheck['samples'][number];
type Code = NonNullable<Sample['code']>;

/** What a check found, group by group; the page is itself the confirmation of the import. */
export function CheckResult({ one, check, onBack }: { one: Import; check: ImportCheck; onBack: () => void }) {
  const fitting = check.samples.filter(({ code }) => code === undefined);
  const refused = Object.entries<number>(check.refused).filter(([, count]) => count > 0);
  return (
    <div className="flex flex-col gap-6">
      <Section
        title={importText('check.title')}
        actions={
          <Button small onClick={onBack}>
            {importText('check.back')}
          </Button>
        }
      >
        <ImportCounts counts={{ ...check, refused: refusedRows(check) }} />
      </Section>
      {check.suggestions.length > 0 && (
        <Section title={importText('check.notes')}>
          <ul className="flex flex-col gap-2">
            {check.suggestions.map(({ column, message }, place) => (
              <li key={place} className="wrap-anywhere">
                <span className="font-medium">{column}</span> <span className="text-soft">{message}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <div className="flex flex-col gap-2">
        {fitting.length > 0 && (
          <Group title={importText('check.examples')} count={check.new + check.updated + check.unchanged} isOpen>
            <FittingRows samples={fitting} />
          </Group>
        )}
        {refused.map(([code, count]) => (
          <Group key={code} title={importText(`refused.${code as Code}`)} count={count}>
            <RefusedRows samples={check.samples.filter((sample) => sample.code === code)} />
          </Group>
        ))}
        {refused.length > 0 && <p className="text-sm text-soft">{importText('check.more')}</p>}
      </div>
      <ConfirmImport one={one} check={check} />
    </div>
  );
}

function Group({
  title,
  count,
  isOpen = false,
  children,
}: {
  title: string;
  count: number;
  isOpen?: boolean;
  children: ReactNode;
}) {
  return (
    <details open={isOpen || undefined} className="rounded-lg border border-line">
      <summary className="flex cursor-pointer items-center gap-3 px-4 py-2.5 font-medium">
        <span className="min-w-0 flex-1">{title}</span>
        <span className="font-normal text-soft tabular">{number(count)}</span>
      </summary>
      <div className="overflow-x-auto border-t border-line px-4 py-2" tabIndex={0} role="group" aria-label={title}>
        {children}
      </div>
    </details>
  );
}

const cell = 'py-1.5 pe-3 align-top max-sm:text-sm';
const headCell = `${cell} text-start text-sm font-normal text-soft`;

function RefusedRows({ samples }: { samples: readonly Sample[] }) {
  return (
    <table className="w-full">
      <caption className="pb-1 text-start text-sm text-soft">
        {importText('check.shown', { count: samples.length })}
      </caption>
      <thead>
        <tr>
          {(['line', 'address', 'why'] as const).map((key) => (
            <th key={key} scope="col" className={headCell}>
              {importText(`check.${key}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {samples.map(({ line, email, message }) => (
          <tr key={line}>
            <td className={`${cell} tabular`}>{number(line)}</td>
            <td className={`${cell} wrap-anywhere`}>{email ?? importText('check.noAddress')}</td>
            <td className={`${cell} text-soft wrap-anywhere`}>{message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FittingRows({ samples }: { samples: readonly Sample[] }) {
  return (
    <table className="w-full">
      <caption className="pb-1 text-start text-sm text-soft">
        {importText('check.shown', { count: samples.length })}
      </caption>
      <thead>
        <tr>
          {(['line', 'address', 'values'] as const).map((key) => (
            <th key={key} scope="col" className={headCell}>
              {importText(`check.${key}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {samples.map(({ line, email, subscriber }) => (
          <tr key={line}>
            <td className={`${cell} tabular`}>{number(line)}</td>
            <td className={`${cell} wrap-anywhere`}>{email}</td>
            <td className={`${cell} text-soft wrap-anywhere`}>{subscriber && valuesOf(subscriber)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valuesOf({ fields, tags, ...profile }: NonNullable<Sample['subscriber']>): string {
  const values = Object.entries({ ...profile, ...fields }).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name}: ${value}`] : [],
  );
  return [...values, ...tags.map((tag) => `#${tag}`)].join(' · ');
}
