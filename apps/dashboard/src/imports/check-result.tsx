import { importText } from '../messages/en/imports.js';
import { number } from '../messages/format.js';
import { Button } from '../ui/button.js';
import { Section } from '../ui/section.js';
import { ConfirmImport } from './confirm-import.js';
import { ImportCounts } from './import-counts.js';
import { refusedRows } from './mapping.js';
import type { Import, ImportCheck } from './mapping.js';
import { cell, Group, HeadRow, RefusedGroups, RepeatedGroup } from './row-groups.js';

type Sample = ImportCheck['samples'][number];

/** What a check found, group by group; the page is itself the confirmation of the import. */
export function CheckResult({ one, check, onBack }: { one: Import; check: ImportCheck; onBack: () => void }) {
  const fitting = check.samples.filter(({ code }) => code === undefined);
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
        <RepeatedGroup check={check} />
        <RefusedGroups check={check} />
        {refusedRows(check) > 0 && <p className="text-sm text-soft">{importText('check.more')}</p>}
      </div>
      <ConfirmImport one={one} check={check} />
    </div>
  );
}

function FittingRows({ samples }: { samples: readonly Sample[] }) {
  return (
    <table className="w-full">
      <caption className="pb-1 text-start text-sm text-soft">
        {importText('check.shown', { count: samples.length })}
      </caption>
      <HeadRow keys={['line', 'address', 'values']} />
      <tbody>
        {samples.map(({ line, email, subscriber }) => (
          <tr key={line}>
            <td className={`${cell} tabular`}>{number(line)}</td>
            <td className={`${cell} wrap-break-word`}>{email}</td>
            <td className={`${cell} min-w-40 text-soft wrap-anywhere`}>{subscriber && valuesOf(subscriber)}</td>
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
