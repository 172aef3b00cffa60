import { nameKey } from '#tool-call';

interface Person {
  email: string;
  name: string | null;
  phone: string | null;
  /** Values by field id. */
  custom: Record<string, string> | null;
}

/**
 * A field's former name stays valid unless another field has that name now.
 * @param fieldNames names of the organization's custom fields by id, the present one last
 */
export function mergeValues(
  person: Person,
  fieldNames: Record<string, readonly string[]>,
): Record<string, string | null> {
  const former: Record<string, string | null> = {};
  const present: Record<string, string | null> = {};
  for (const [id, names] of Object.entries(fieldNames)) {
    const value = person.custom?.[id] ?? null;
    for (const name of names) former[name] = value;
    present[names.at(-1)!] = value;
  }
  return {
    ...former,
    ...present,
    email: person.email,
    name: person.name,
    firstName: person.name?.split(' ')[0] ?? null,
    phone: person.phone,
  };
}

/** Reduces the values to those that a mail with these variables uses, and the name, which may serve as a first name. */
export function withValuesOf<P extends { values: Record<string, string | null> }>(
  variables: readonly string[],
  person: P,
): P {
  const wanted = new Set(['name', ...variables].map(nameKey));
  const values = Object.entries(person.values).filter(([name]) => wanted.has(nameKey(name)));
  return { ...person, values: Object.fromEntries(values) };
}

const builtIn = new Set(['email', 'name', 'firstname', 'phone']);

export const isBuiltIn = (variables: readonly string[]): boolean =>
  variables.every((name) => builtIn.has(nameKey(name)));

export function fieldsNamed(
  variables: readonly string[],
  names: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const wanted = new Set(variables.map(nameKey));
  return new Map([...names].filter(([, own]) => own.some((name) => wanted.has(nameKey(name)))));
}
