import { useState } from 'react';
import { notify } from '../../data/notices.js';
import { approvalOf, isDeclined, textOf } from '../../data/refusal.js';
import { actions } from '../../data/tools.calls.js';
import { useAction } from '../../data/use-action.js';
import { imageText } from '../../messages/en/images.js';
import { faultOf, nameOf } from './hosted-image.js';
import type { HostedImage } from './hosted-image.js';

/** The bytes of a file in Base64. */
const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '');
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });

/**
 * Uploads files one after the other. A file that is refused is named in a notice, and the others go on.
 * @returns `pending` counts the files still to be uploaded; `upload` resolves to the images that were hosted
 */
export function useUpload() {
  const action = useAction(actions.upload_image_file());
  const [pending, setPending] = useState(0);
  const uploadOne = async (file: File): Promise<HostedImage | null> => {
    const { name } = file;
    const fault = faultOf(file);
    if (fault) {
      notify({ kind: 'failed', text: imageText(`refused.${fault}`, { name }) });
      return null;
    }
    try {
      return (await action.run({ content: await base64Of(file), name: nameOf(name) })).image;
    } catch (error) {
      if (!isDeclined(error) && !approvalOf(error))
        notify({ kind: 'failed', text: imageText('refused', { name, reason: textOf(error) }) });
      return null;
    }
  };
  const upload = async (files: readonly File[]): Promise<HostedImage[]> => {
    const hosted: HostedImage[] = [];
    setPending((count) => count + files.length);
    for (const file of files) {
      const image = await uploadOne(file);
      if (image) hosted.push(image);
      setPending((count) => count - 1);
    }
    if (hosted.length > 0) notify({ kind: 'done', text: imageText('uploaded', { count: hosted.length }) });
    return hosted;
  };
  return { pending, upload };
}
