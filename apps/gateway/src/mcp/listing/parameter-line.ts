type JsonSchema = Record<string, unknown>;

/** Longer lists of values are left to the whole schema. */
const valuesMax = 12;

/** The parameters of a tool in one line, from its JSON Schema: `name: type`, `name?: type = default`. */
export function parameterLine(schema: JsonSchema): string {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .map(([name, property]) => {
      const byDefault = property.default === undefined ? '' : ` = ${JSON.stringify(property.default)}`;
      return `${name}${required.includes(name) ? '' : '?'}: ${typeText(property)}${byDefault}`;
    })
    .join(', ');
}

export function typeText({ type, enum: values, const: value, anyOf, oneOf, items }: JsonSchema): string {
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) return values.length > valuesMax ? 'text' : values.map(String).join('|');
  const forms = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (forms) return [...new Set(forms.map(typeText))].join('|');
  if (type === 'array') return `${items ? typeText(items as JsonSchema) : 'any'}[]`;
  return type === undefined
    ? 'any'
    : [type]
        .flat()
        .map((one) => (one === 'string' ? 'text' : String(one)))
        .join('|');
}
