import { z } from 'zod';
import { catalogue, permits, rightsOf, scopeOf } from '#contracts';
import type { Role } from '../data/session.js';
import type { JsonSchema } from './schema-fields.js';

export interface CallableTool {
  name: string;
  summary: string;
  schema: () => JsonSchema;
}

/** The tools of a role, from the contracts. They are large: load this module where a form needs it, not before. */
export function toolsOf(role: Role): CallableTool[] {
  const { scopes, asks } = rightsOf[role];
  return [...catalogue.values()]
    .filter(({ contract }) => {
      const scope = scopeOf(contract);
      return permits(scopes, scope) || (asks && scope === 'send');
    })
    .map(({ name, contract }) => ({
      name,
      summary: contract.summary,
      schema: () => z.toJSONSchema(contract.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
    }));
}
