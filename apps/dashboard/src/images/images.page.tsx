import * as z from 'zod/mini';
import { imageText } from '../messages/en/images.js';
import { commonText } from '../messages/en/common.js';
import { CopyAs } from '../parts/copy-as.js';
import { ImageGrid } from '../parts/images/image-grid.js';
import { DropArea, UploadButton } from '../parts/images/upload-area.js';
import { useImages } from '../parts/images/use-images.js';
import { useUpload } from '../parts/images/use-upload.js';
import { mayAct } from '../parts/own-role.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { SearchField } from '../parts/search-field.js';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/states.js';
import { ImageMenu } from './image-menu.js';

const searchPart = z.object({ q: z.optional(z.string().check(z.maxLength(200))) });

/** Every hosted image; files can be dropped anywhere on it. */
export function ImagesPage() {
  const [{ q = '' }, setSearch] = useScreenSearch(searchPart);
  const list = useImages(q);
  const { pending, upload } = useUpload();
  const mayEdit = mayAct('editor');
  const take = (files: File[]) => void upload(files);
  const uploadButton = mayEdit && <UploadButton pending={pending} look="primary" isCompose onFiles={take} />;
  const page = (
    <Page
      title={imageText('title')}
      lead={imageText(mayEdit ? 'lead' : 'lead.viewer')}
      actions={
        <>
          {uploadButton}
          <CopyAs tool="list_images" input={q === '' ? {} : { query: q }} />
        </>
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label={imageText('search')}
          value={q}
          onChange={(value) => setSearch({ q: value }, { replace: true })}
          className="w-full sm:w-72"
        />
        {list.images.length > 0 && (
          <p className="text-sm text-soft tabular">{imageText('count', { count: list.total })}</p>
        )}
      </div>
      <ImageGrid
        list={list}
        menuOf={(image) => <ImageMenu image={image} mayEdit={mayEdit} />}
        empty={
          q === '' ? (
            <EmptyState icon="image" title={imageText('empty.title')} action={uploadButton}>
              {imageText('empty.lead')}
            </EmptyState>
          ) : (
            <EmptyState
              icon="search"
              title={commonText('nothing.title')}
              action={<Button onClick={() => setSearch({ q: undefined })}>{commonText('nothing.clear')}</Button>}
            >
              {commonText('nothing.lead', { what: imageText('filtered.query', { query: q }) })}
            </EmptyState>
          )
        }
      />
    </Page>
  );
  if (!mayEdit) return page;
  return (
    <DropArea onFiles={take} className="relative min-h-full">
      {page}
    </DropArea>
  );
}
