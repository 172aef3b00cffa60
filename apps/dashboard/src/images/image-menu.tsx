import { useState } from 'react';
import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { imageText } from '../messages/en/images.js';
import { copyText } from '../parts/copy-text.js';
import type { HostedImage } from '../parts/images/hosted-image.js';
import { RowMenu } from '../parts/row-menu.js';
import { DescribeDialog } from './describe-dialog.js';

/** What can be done with one image. */
export function ImageMenu({ image, mayEdit }: { image: HostedImage; mayEdit: boolean }) {
  const { id: imageId, name, url } = image;
  const [isEditing, setEditing] = useState(false);
  const remove = useAction(actions.delete_image());
  const erase = async () => {
    await remove.run({ imageId }, { button: imageText('delete.button') });
    notify({ kind: 'done', text: imageText('deleted', { name }) });
  };
  return (
    <>
      <RowMenu
        label={imageText('actions', { name })}
        items={[
          { text: imageText('copy'), icon: 'copy', onClick: () => void copyText(url) },
          ...(mayEdit
            ? ([
                { text: imageText('edit'), icon: 'snippet', onClick: () => setEditing(true) },
                {
                  text: imageText('delete'),
                  icon: 'trash',
                  isDanger: true,
                  onClick: () => void erase().catch(reportFailure),
                },
              ] as const)
            : []),
        ]}
      />
      {isEditing && <DescribeDialog image={image} onClose={() => setEditing(false)} />}
    </>
  );
}
