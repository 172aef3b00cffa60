import { useId, useState } from 'react';
import type { DragEvent } from 'react';
import { importText } from '../messages/en/imports.js';
import { classNames } from '../ui/class-names.js';
import { Icon } from '../ui/icon.js';

/** Chooses one file, by the platform's dialog or by dropping it. */
export function FileChoice({
  label,
  busy = false,
  onFile,
}: {
  label: string;
  busy?: boolean;
  onFile: (file: File) => void;
}) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    <div
      onDragEnter={drag(true)}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        const file = event.dataTransfer.files[0];
        if (file && !busy) onFile(file);
      }}
      className={classNames(
        'relative flex flex-col items-center gap-1 rounded-lg border border-dashed px-4 py-7 text-center transition-colors',
        'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent',
        isOver ? 'border-accent bg-accent-soft' : 'border-edge/60 bg-ground/50 hover:bg-ground',
      )}
    >
      <Icon name="upload" size={20} className="mb-1 text-soft" />
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <span className="text-sm text-soft max-sm:hidden">{importText('drop')}</span>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        disabled={busy}
        className="absolute inset-0 h-full w-full cursor-pointer opacity-0 focus-visible:outline-none"
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file) onFile(file);
        }}
      />
    </div>
  );
}
