import { useState } from 'react';
import { commonText } from '../../messages/en/common.js';
import { imageText } from '../../messages/en/images.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextInput } from '../../ui/field.js';
import { EmptyState } from '../../ui/states.js';
import { useSettled } from '../use-settled.js';
import type { HostedImage } from './hosted-image.js';
import { ImageGrid } from './image-grid.js';
import { DropArea, UploadButton } from './upload-area.js';
import { useImages } from './use-images.js';
import { useUpload } from './use-upload.js';

/** Chooses a hosted image, or uploads one: a single file that is uploaded is chosen at once. */
export function ImageDialog({
  onChoose,
  onAddress,
  onClose,
}: {
  onChoose: (image: HostedImage) => void;
  /** Offers to write an address instead. */
  onAddress?: () => void;
  onClose: () => void;
}) {
  const [query, setQuery] = useState('');
  const list = useImages(useSettled(query.trim(), 200));
  const { pending, upload } = useUpload();
  const take = (files: File[]) =>
    void upload(files).then((hosted) => {
      if (files.length === 1 && hosted[0]) onChoose(hosted[0]);
    });
  return (
    <Dialog
      wide
      title={imageText('choose')}
      onClose={onClose}
      footer={
        <>
          {onAddress && (
            <Button look="quiet" className="me-auto" onClick={onAddress}>
              {imageText('choose.address')}
            </Button>
          )}
          <Button onClick={onClose}>{commonText('cancel')}</Button>
          <UploadButton pending={pending} look="primary" onFiles={take} />
        </>
      }
    >
      <DropArea onFiles={take} className="flex min-h-80 flex-col gap-4">
        <TextInput
          type="search"
          data-autofocus=""
          aria-label={imageText('search')}
          placeholder={imageText('search')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <ImageGrid
          list={list}
          onChoose={onChoose}
          empty={
            query === '' ? (
              <EmptyState icon="image" title={imageText('empty.title')}>
                {imageText('empty.lead')}
              </EmptyState>
            ) : (
              <EmptyState icon="search" title={commonText('nothing.title')} />
            )
          }
        />
      </DropArea>
    </Dialog>
  );
}
