import { buttonClass } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icon.js';
import { menuItemClass, Popover } from '../ui/popover.js';

/** One item of a row's menu. */
export interface RowMenuItem {
  text: string;
  icon: IconName;
  isDanger?: boolean;
  onClick: () => void;
}

/** A menu at the end of a row of a list. */
export function RowMenu({ label, items }: { label: string; items: readonly RowMenuItem[] }) {
  return (
    <span className="relative z-1 inline-block align-middle">
      <Popover
        align="end"
        label={label}
        buttonClassName={classNames(buttonClass('quiet', true), 'w-7 px-0!')}
        button={<Icon name="more" />}
      >
        {(close) =>
          items.map(({ text, icon, isDanger, onClick }) => (
            <button
              key={text}
              type="button"
              className={classNames(menuItemClass, isDanger && 'text-bad')}
              onClick={() => {
                close();
                onClick();
              }}
            >
              <Icon name={icon} />
              {text}
            </button>
          ))
        }
      </Popover>
    </span>
  );
}
