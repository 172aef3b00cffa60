import { mailText } from '../../messages/en/mail.js';
import { IconButton } from '../../ui/button.js';
import { ErrorNotice } from '../error-notice.js';
import { RecordPicker } from '../record-picker.js';

/** The subscriber whose copy of the mail is shown; undefined for a sample. */
export interface PersonChoice {
  subscriberId: string | undefined;
  onChange: (subscriberId: string | undefined) => void;
}

export function PreviewPerson({
  choice: { subscriberId, onChange },
  email,
  error,
}: {
  choice: PersonChoice;
  /** Known once the values of the subscriber are read. */
  email: string | undefined;
  error: Error | null;
}) {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1">
        <RecordPicker
          noun="subscriber"
          label={mailText('person')}
          placeholder={mailText('person.sample')}
          ids={subscriberId === undefined ? [] : [subscriberId]}
          known={subscriberId === undefined || email === undefined ? [] : [{ value: subscriberId, label: email }]}
          onChange={([chosen]) => onChange(chosen)}
          className="w-full max-w-96"
        />
        {subscriberId !== undefined && (
          <IconButton icon="close" label={mailText('person.clear')} onClick={() => onChange(undefined)} />
        )}
      </div>
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
