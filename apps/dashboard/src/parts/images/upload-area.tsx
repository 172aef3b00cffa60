import { useRef, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { imageText } from '../../messages/en/images.js';
import { Button } from '../../ui/button.js';
import { imageTypes } from './hosted-image.js';

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** A place on which files can be dropped; all of it is marked while they are above it. */
export function DropArea({
  onFiles,
  children,
  className,
}: {
  onFiles: (files: File[]) => void;
  children: ReactNode;
  className?: string;
}) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className={className}
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Element | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 font-medium text-accent">
          {imageText('drop')}
        </div>
      )}
    </div>
  );
}

/** Opens the platform's choice of files. */
export function UploadButton({
  pending,
  look = 'plain',
  isCompose = false,
  onFiles,
}: {
  /** Files that are still being uploaded. */
  pending: number;
  look?: 'primary' | 'plain';
  /** Whether it is what `c` and `n` press. */
  isCompose?: boolean;
  onFiles: (files: File[]) => void;
}) {
  const ref = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={ref}
        type="file"
        multiple
        hidden
        accept={imageTypes.join()}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        look={look}
        icon="upload"
        busy={pending > 0}
        {...(isCompose && { 'data-compose': '' })}
        onClick={() => ref.current?.click()}
      >
        {pending > 0 ? imageText('uploading', { count: pending }) : imageText('upload')}
      </Button>
    </>
  );
}
