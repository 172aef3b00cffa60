import { lazy, Suspense, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { commonText } from '../../messages/en/common.js';
import { paletteText } from '../../messages/en/palette.js';
import { Dialog } from '../../ui/dialog.js';
import { Icon } from '../../ui/icon.js';
import { loadAgain } from './load-again.js';
import type { PaletteTool } from './palette-tools.js';

// The field of the palette is part of the shell, since keys typed right after Mod+K belong to it; the rest comes when needed.
const PaletteList = lazy(loadAgain(async () => ({ default: (await import('./palette-list.js')).PaletteList })));
const ToolForm = lazy(loadAgain(async () => ({ default: (await import('./tool-form.js')).ToolForm })));

const loading = <p className="p-4 text-soft">{commonText('loading')}</p>;

/** Finds pages, records and tools by a few letters; a tool opens as a form. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [tool, setTool] = useState<PaletteTool | null>(null);
  return (
    <Dialog title={paletteText('title')} titleHidden wide light onClose={onClose}>
      {tool ? (
        <Suspense fallback={loading}>
          <ToolForm tool={tool} onBack={() => setTool(null)} />
        </Suspense>
      ) : (
        <Search onClose={onClose} onTool={setTool} />
      )}
    </Dialog>
  );
}

function Search({ onClose, onTool }: { onClose: () => void; onTool: (tool: PaletteTool) => void }) {
  const [query, setQuery] = useState('');
  const [activeId, setActiveId] = useState<string>();
  // The list takes arrows and Enter, once it is there.
  const press = useRef<((event: KeyboardEvent) => void) | null>(null);
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon name="search" className="text-soft" />
        <input
          data-autofocus=""
          role="combobox"
          aria-label={paletteText('placeholder')}
          aria-expanded="true"
          aria-controls="palette-results"
          aria-activedescendant={activeId}
          placeholder={paletteText('placeholder')}
          autoComplete="off"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={(event) => press.current?.(event)}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
      </div>
      <Suspense fallback={loading}>
        <PaletteList query={query.trim()} press={press} onActive={setActiveId} onClose={onClose} onTool={onTool} />
      </Suspense>
    </>
  );
}
