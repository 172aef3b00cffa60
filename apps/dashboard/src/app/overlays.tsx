import { Notices } from './notices.js';
import { Prompts } from './prompts.js';

/** What stands over every page. */
export function Overlays() {
  return (
    <>
      <Notices />
      <Prompts />
    </>
  );
}
