import { tokenText } from '../messages/en/tokens.js';
import { Check } from '../ui/field.js';
import type { TokenScope, Toolset } from './token.js';

/** What a token may do, each right with its meaning. */
export function ScopeChoice({
  offered,
  chosen,
  onChange,
}: {
  offered: readonly TokenScope[];
  chosen: readonly TokenScope[];
  onChange: (scopes: TokenScope[]) => void;
}) {
  return (
    <fieldset>
      <legend className="pb-1 text-sm font-medium">{tokenText('rights')}</legend>
      {offered.map((scope) => (
        <Check
          key={scope}
          label={tokenText(`scope.${scope}`)}
          hint={tokenText(`hint.${scope}`)}
          checked={chosen.includes(scope)}
          onChange={({ target }) =>
            onChange(offered.filter((one) => (one === scope ? target.checked : chosen.includes(one))))
          }
        />
      ))}
    </fieldset>
  );
}

/** Groups of tools to which a token is bound. */
export function ToolsetChoice({
  offered,
  chosen,
  onChange,
}: {
  offered: readonly Toolset[];
  chosen: readonly Toolset[];
  onChange: (toolsets: Toolset[]) => void;
}) {
  return (
    <details open={chosen.length > 0 || undefined}>
      <summary className="cursor-pointer py-1 text-sm font-medium">{tokenText('toolsets')}</summary>
      <p className="text-sm text-soft">{tokenText('toolsetsHint')}</p>
      <div className="grid grid-cols-2 gap-x-4">
        {offered.map((toolset) => (
          <Check
            key={toolset}
            label={toolset}
            checked={chosen.includes(toolset)}
            onChange={({ target }) =>
              onChange(offered.filter((one) => (one === toolset ? target.checked : chosen.includes(one))))
            }
          />
        ))}
      </div>
    </details>
  );
}
