import type { ToolName } from '#client';
import type { Role } from '../../data/session.js';
import type { JsonSchema } from '../../parts/schema-fields.js';

export interface PaletteTool {
  name: ToolName;
  summary: string;
  keywords: string;
  schema: () => JsonSchema;
}

export async function toolsOf(role: Role): Promise<PaletteTool[]> {
  const tools = (await import('../../parts/tool-schemas.js')).toolsOf(role);
  return tools.map(({ name, summary, schema }) => ({
    name: name as ToolName,
    summary,
    schema,
    keywords: `${name} ${name.replaceAll('_', ' ')} ${summary}`.toLowerCase(),
  }));
}
