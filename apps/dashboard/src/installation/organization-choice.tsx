import { currentOrganization, currentSession } from '../data/session.js';
import { installationText } from '../messages/en/installation.js';
import { Choice, Field } from '../ui/field.js';
import { askable } from './asked-organization.js';

/** Whose sends and dead letters are shown; absent where there is no choice. */
export function OrganizationChoice({ onChange }: { onChange: (number: number) => void }) {
  const organizations = askable(currentSession()?.organizations ?? []);
  if (organizations.length < 2) return null;
  return (
    <div className="max-w-sm">
      <Field label={installationText('organization')} hint={installationText('organization.hint')}>
        {(control) => (
          <Choice
            {...control}
            value={String(currentOrganization())}
            options={organizations.map(({ number, name }) => ({ value: String(number), label: name }))}
            onChange={({ target }) => onChange(Number(target.value))}
          />
        )}
      </Field>
    </div>
  );
}
