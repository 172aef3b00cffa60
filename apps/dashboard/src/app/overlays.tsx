import { RouterContextProvider } from '@tanstack/react-router';
import { Boundary } from '../ui/boundary.js';
import { Notices } from './notices.js';
import { Prompts } from './prompts.js';
import { router } from './router.js';

/** What lies over every screen. It has links too, and outlives the screens; a failure in it empties no page. */
export function Overlays() {
  return (
    <RouterContextProvider router={router}>
      <Boundary>
        <Notices />
      </Boundary>
      <Boundary>
        <Prompts />
      </Boundary>
    </RouterContextProvider>
  );
}
