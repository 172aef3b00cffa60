import { useState } from 'react';
import { screenText } from '../messages/en/shell.js';
import { keyText } from '../messages/en/keys.js';
import { lettersAct, switchLetters } from '../parts/page-keys.js';
import { Dialog } from '../ui/dialog.js';
import { Check } from '../ui/field.js';
import { Kbd } from '../ui/states.js';
import { navigation } from './navigation.js';
import { isOffered } from './sidebar.js';

const general = [
  { keys: ['?'], text: keyText('help') },
  { keys: ['Ctrl', 'K'], text: keyText('palette') },
  { keys: ['/'], text: keyText('search') },
  { keys: ['c'], text: keyText('compose') },
  { keys: ['z'], text: keyText('undo') },
  { keys: ['j', 'k'], text: keyText('move') },
  { keys: ['x'], text: keyText('select') },
  { keys: ['Enter'], text: keyText('open') },
  { keys: ['Esc'], text: keyText('clear') },
  { keys: ['Ctrl', 'Enter'], text: keyText('next') },
  { keys: ['p'], text: keyText('pause') },
  { keys: ['r'], text: keyText('retry') },
  { keys: ['a'], text: keyText('approve') },
];

/** Lists the keys, and switches the single letters off or on. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(lettersAct);
  const places = navigation
    .flatMap(({ items }) => items)
    .filter(({ key, screen }) => key !== undefined && isOffered(screen))
    .map(({ key, screen }) => ({ keys: ['g', key!], text: screenText(screen) }));
  return (
    <Dialog title={keyText('title')} onClose={onClose} wide light>
      <div className="grid gap-x-10 sm:grid-cols-2">
        {[general, places].map((list, place) => (
          <dl key={place} className="divide-y divide-line">
            {list.map(({ keys, text }) => (
              <div key={text} className="flex items-center justify-between gap-4 py-1.5">
                <dt>{text}</dt>
                <dd className="flex gap-1">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
      <Check
        className="mt-4"
        label={keyText('letters')}
        hint={keyText('lettersHint')}
        checked={isOn}
        onChange={({ target }) => {
          switchLetters(target.checked);
          setOn(target.checked);
        }}
      />
    </Dialog>
  );
}
