interface Person {
  email: string;
  name: string | null;
  phone: string | null;
  /** Values by field id. */
  custom: Record<string, string> | null;
}

/**
 * What a template may say of a person: `email`, `name`, `firstName`, `phone`, and every custom field by its name (null
 * where the person has no value).
 * @param fieldNames names of the organization's custom fields by id
 */
export function mergeValues(person: Person, fieldNames: Record<string, string>): Record<string, string | null> {
  const values: Record<string, string | null> = {};
  for (const [id, name] of Object.entries(fieldNames)) values[name] = person.custom?.[id] ?? null;
  return {
    ...values,
    email: person.email,
    name: person.name,
    firstName: person.name?.split(' ')[0] ?? null,
    phone: person.phone,
  };
}
