import type { ReactNode } from 'react';
import { importText } from '../messages/en/imports.js';
import { number } from '../messages/format.js';
import type { ImportCheck } from './mapping.js';

type Sample = ImportCheck['samples'][number];
type Code = NonNullable<Sample['code']>;

/** The refused rows of a check, a group for each reason. */
export function RefusedGroups({ check }: { check: ImportCheck }) {
  const refused = Object.entries<number>(check.refused).filter(([, count]) => count > 0);
  return refused.map(([code, count]) => (
    <Group key={code} title={importText(`refused.${code as Code}`)} count={count}>
      <RefusedRows samples={check.samples.filter((sample) => sample.code === code)} />
    </Group>
  ));
}

/** Rows whose address an earlier row has; nothing where there are none. */
export function RepeatedGroup({ check: { repeated, options } }: { check: ImportCheck }) {
  if (!repeated || repeated.rows === 0) return null;
  const firstCounts = options.mode === 'CREATE_ONLY';
  return (
    <Group title={importText('repeated')} count={repeated.rows} isOpen>
      <p className="pb-1 text-sm text-soft">{importText(firstCounts ? 'repeated.first' : 'repeated.last')}</p>
      <table className="w-full">
        <HeadRow keys={['address', 'lines']} />
        <tbody>
          {repeated.addresses.map(({ email, lines, rows }) => (
            <tr key={email}>
              <td className={`${cell} wrap-break-word`}>{email}</td>
              <td className={`${cell} min-w-40 tabular`}>
                {lines.map((line) => number(line)).join(', ')}
                {rows > lines.length && ` ${importText('repeated.more', { count: rows - lines.length })}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Group>
  );
}

/** Rows of a check under a title that opens and closes them. */
export function Group({
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

export const cell = 'py-1.5 pe-3 align-top max-sm:text-sm';

/** The heading of a table of rows. */
export function HeadRow({ keys }: { keys: readonly ('line' | 'lines' | 'address' | 'why' | 'values')[] }) {
  return (
    <thead>
      <tr>
        {keys.map((key) => (
          <th key={key} scope="col" className={`${cell} text-start text-sm font-normal text-soft`}>
            {importText(`check.${key}`)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function RefusedRows({ samples }: { samples: readonly Sample[] }) {
  return (
    <table className="w-full">
      <caption className="pb-1 text-start text-sm text-soft">
        {importText('check.shown', { count: samples.length })}
      </caption>
      <HeadRow keys={['line', 'address', 'why']} />
      <tbody>
        {samples.map(({ line, email, message }) => (
          <tr key={line}>
            <td className={`${cell} tabular`}>{number(line)}</td>
            <td className={`${cell} wrap-break-word`}>{email ?? importText('check.noAddress')}</td>
            <td className={`${cell} min-w-40 text-soft wrap-anywhere`}>{message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
