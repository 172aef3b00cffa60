import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';
import type { IconName } from './icon.js';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Record<ButtonLook, string> = {
  primary: 'bg-accent text-accent-ink border-transparent hover:opacity-90',
  plain: 'bg-paper text-ink border-edge/60 hover:bg-sunk',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-sunk hover:text-ink',
  danger: 'bg-bad text-paper border-transparent hover:opacity-90',
};

/** The classes of a button, for links that look like one. */
export const buttonClass = (look: ButtonLook = 'plain', small = false): string =>
  classNames(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none',
    'transition-[background-color,opacity,color] disabled:opacity-50 disabled:pointer-events-none',
    small ? 'h-7 px-2 text-sm' : 'h-8 px-3 text-base',
    looks[look],
  );

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  small?: boolean;
  icon?: IconName;
  /** The work goes on: the button stays in place and takes no second click. */
  busy?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  look = 'plain',
  small = false,
  icon,
  busy = false,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={rest.disabled === true || busy}
      className={classNames(buttonClass(look, small), className)}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows a picture only; `label` names it. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children' | 'icon'> & { label: string; icon: IconName }) {
  return (
    <Button
      look="quiet"
      {...rest}
      aria-label={label}
      title={label}
      icon={icon}
      className={classNames(rest.small ? 'w-7 px-0!' : 'w-8 px-0!', rest.className)}
    />
  );
}

export function Spinner() {
  return (
    <svg aria-hidden="true" className="animate-spin" width="14" height="14" viewBox="0 0 16 16" fill="none">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
