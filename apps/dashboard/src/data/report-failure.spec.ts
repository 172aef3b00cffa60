import { describe, expect, it } from '@jest/globals';
import { ConfirmationRequired, TidingsError } from '#client';
import { dismiss, shownNotices } from './notices.js';
import { reportFailure } from './report-failure.js';

const question = { message: 'Sends to 3.', action: 'schedule_campaign', instruction: '' };

describe('reportFailure', () => {
  it('says what failed, and nothing of what was declined or asked for', () => {
    reportFailure(new ConfirmationRequired(409, { ...question, confirmationCode: 7 }, null));
    reportFailure(new ConfirmationRequired(409, { ...question, approvalId: 'apr_1' }, null));
    expect(shownNotices()).toEqual([]);
    reportFailure(new TidingsError(409, { error: 'The campaign has been sent.' }, null));
    expect(shownNotices()).toMatchObject([{ kind: 'failed', text: 'The campaign has been sent.' }]);
    dismiss(shownNotices()[0]!.id);
  });
});
