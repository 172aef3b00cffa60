import { commonText } from '../messages/en/common.js';
import { buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';
import { copyText } from './copy-text.js';
import { callText } from './call-text.js';
import type { CallForm } from './call-text.js';

const forms: readonly CallForm[] = ['call', 'curl', 'typescript', 'command'];

/** Copies what this part of the page calls, for programs and agents: `<CopyAs tool="search_subscribers" input={…} />`. */
export function CopyAs({ tool, input }: { tool: string; input: object }) {
  return (
    <Popover
      align="end"
      label={commonText('copyAs')}
      buttonClassName={`${buttonClass('quiet')} w-8 px-0!`}
      button={<Icon name="copy" />}
    >
      {(close) => (
        <>
          <p className="px-2 py-1 font-mono text-xs text-soft">{tool}</p>
          {forms.map((form) => (
            <button
              key={form}
              type="button"
              className={menuItemClass}
              onClick={() => {
                close();
                void copyText(callText(form, { tool, input, url: location.origin }));
              }}
            >
              {commonText(`copyAs.${form}`)}
            </button>
          ))}
        </>
      )}
    </Popover>
  );
}
