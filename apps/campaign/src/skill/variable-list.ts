import { variableGuides, variableSyntax } from '#content';
import type { Data, skillTools } from '#contracts';
import { snippetVariable } from '../snippet/snippet.js';
import type { StoredSnippet } from '../snippet/snippet.js';

type Variable = Data<(typeof skillTools)['calls']['get_available_variables']>['variables'][number];

const links: Variable[] = [
  {
    name: 'addTag',
    syntax: '{{addTag:NAME}}',
    group: 'link',
    description: 'As the href of a link: a click adds the tag (several separated by commas) to the subscriber.',
    example: '[Keep me posted]({{addTag:interested}})',
  },
  {
    name: 'removeTag',
    syntax: '{{removeTag:NAME}}',
    group: 'link',
    description: 'As the href of a link: a click takes the tag (several separated by commas) off the subscriber.',
    example: '[No more offers]({{removeTag:offers}})',
  },
];

/** What the renderer resolves for an organization with these custom fields and snippets; nothing else. */
export function variableList(fieldNames: readonly string[], snippets: readonly StoredSnippet[]): Variable[] {
  const builtIn = variableGuides.map((one) => ({ ...one, syntax: `{{${one.name}}}` }));
  const fields = fieldNames.flatMap((name): Variable[] => {
    const syntax = variableSyntax(name);
    if (syntax === null) return [];
    const example = `${syntax.slice(0, -2)} | 'not known'}}`;
    return [{ name, syntax, group: 'custom-field', description: `The custom field "${name}"; may be empty.`, example }];
  });
  const pieces = snippets.map(({ name, description }): Variable => {
    const syntax = snippetVariable(name);
    return { name, syntax, group: 'snippet', description: description ?? `The snippet "${name}".`, example: syntax };
  });
  return [...builtIn, ...fields, ...pieces, ...links];
}
