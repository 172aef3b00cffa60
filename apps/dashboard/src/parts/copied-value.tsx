import { copiedText } from '../messages/en/copied.js';
import { IconButton } from '../ui/button.js';
import { classNames } from '../ui/class-names.js';
import { copyText } from './copy-text.js';

/**
 * A value in mono type with a button that copies it: ids, secrets, DNS records, code.
 * @param what names the value for the button, such as "the link"
 * @param block code of several lines, which scrolls by itself
 */
export function CopiedValue({
  value,
  what,
  block = false,
  className,
}: {
  value: string;
  what: string;
  block?: boolean;
  className?: string;
}) {
  return (
    <div
      className={classNames(
        'flex min-w-0 items-start gap-1 rounded-md border border-line bg-ground ps-2.5 pe-0.5',
        className,
      )}
    >
      <pre
        // What scrolls must be within reach of keys.
        tabIndex={block ? 0 : undefined}
        aria-label={block ? what : undefined}
        role={block ? 'group' : undefined}
        className={classNames(
          'min-w-0 flex-1 py-1.5 font-mono text-xs',
          block ? 'max-h-80 overflow-auto whitespace-pre' : 'wrap-anywhere whitespace-pre-wrap',
        )}
      >
        {value}
      </pre>
      <IconButton
        small
        icon="copy"
        label={copiedText('copy', { what })}
        onClick={() => void copyText(value)}
        className="mt-0.5"
      />
    </div>
  );
}
