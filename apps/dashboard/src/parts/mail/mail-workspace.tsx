import { useState } from 'react';
import type { ReactNode } from 'react';
import { useNarrow } from '../../ui/use-narrow.js';
import { MailBody } from './mail-body.js';
import type { MailContent } from './mail-body.js';
import { MailPreview } from './mail-preview.js';
import { PaneTabs } from './pane-tabs.js';
import type { Pane } from './pane-tabs.js';
import type { PersonChoice } from './preview-person.js';
import type { MailSource } from './render-source.js';

/** A mail while it is written: its fields and body beside the preview, by turns on a phone. */
export function MailWorkspace({
  mail,
  person,
  children,
  onBody,
}: {
  mail: MailSource;
  person: PersonChoice;
  /** Stands above the body: notices and fields. */
  children: ReactNode;
  onBody: (body: MailContent) => void;
}) {
  const [pane, setPane] = useState<Pane>('edit');
  const isNarrow = useNarrow();
  return (
    <>
      {isNarrow && <PaneTabs pane={pane} onChange={setPane} />}
      <div className="grid min-w-0 grid-cols-1 items-start gap-x-8 gap-y-6 md:grid-cols-2">
        {(!isNarrow || pane === 'edit') && (
          <div className="flex min-w-0 flex-col gap-4">
            {children}
            <MailBody contentType={mail.contentType} content={mail.content} onChange={onBody} />
          </div>
        )}
        {(!isNarrow || pane === 'preview') && (
          <div className="min-w-0 md:sticky md:top-4">
            <MailPreview source={mail} person={person} />
          </div>
        )}
      </div>
    </>
  );
}
