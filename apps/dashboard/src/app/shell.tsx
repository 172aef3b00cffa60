import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { shellText } from '../messages/en/shell.js';
import { commonText } from '../messages/en/common.js';
import { IconButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Palette } from './palette/palette.js';
import { Sidebar } from './sidebar.js';
import { useShellKeys } from './shell-keys.js';

const KeyHelp = lazy(async () => ({ default: (await import('./key-help.js')).KeyHelp }));

/** The frame around the screens of an organization: navigation beside them, or as a sheet on a phone. */
export function Shell() {
  const [layer, setLayer] = useState<'navigation' | 'help' | 'palette' | null>(null);
  const close = () => setLayer(null);
  useShellKeys({ onHelp: () => setLayer('help'), onPalette: () => setLayer('palette') });
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#content"
        onClick={(event) => {
          // Not by the address, which is the router's.
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
        className="absolute start-2 top-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-accent-ink focus:translate-y-0"
      >
        {shellText('skip')}
      </a>
      <nav aria-label={shellText('navigation')} className="hidden w-60 shrink-0 md:block">
        <Sidebar onHelp={() => setLayer('help')} onPalette={() => setLayer('palette')} />
      </nav>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
        <IconButton label={shellText('openNavigation')} icon="menu" onClick={() => setLayer('navigation')} />
        <span className="font-semibold">{shellText('product')}</span>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="min-h-0 min-w-0 flex-1 overflow-auto bg-paper md:my-2 md:me-2 md:rounded-lg md:border md:border-line"
      >
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </main>
      {layer === 'navigation' && (
        <Dialog title={shellText('navigation')} titleHidden light side="start" onClose={close}>
          <div className="flex h-dvh flex-col bg-ground">
            <IconButton label={commonText('close')} icon="close" onClick={close} className="absolute end-2 top-2" />
            <Sidebar onGo={close} onHelp={() => setLayer('help')} onPalette={() => setLayer('palette')} />
          </div>
        </Dialog>
      )}
      {layer === 'palette' && <Palette onClose={close} />}
      {layer === 'help' && (
        <Suspense fallback={null}>
          <KeyHelp onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
