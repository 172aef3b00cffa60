import { notify } from '../data/notices.js';
import { reportFailure } from '../data/report-failure.js';
import { commonText } from '../messages/en/common.js';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ kind: 'done', text: commonText('copied') });
  } catch (error) {
    reportFailure(error);
  }
}
