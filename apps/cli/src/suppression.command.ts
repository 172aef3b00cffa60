import { subscriberLifeRequests } from '#contracts';
import type { Command } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';
import type { Typed } from './typed.js';

const review: Command = {
  words: ['suppressions', 'review'],
  about:
    'Lists subscribers that were suppressed by soft bounces which do not count, with the status that each would get. Changes nothing without --apply.',
  options: {
    org: { value: 'ID', about: 'one organization (default: all)' },
    apply: { about: 'restores the statuses' },
  },
  run: async (typed, session) => {
    const apply = typed.has('apply');
    const { terminal } = session;
    const kept = new Map<string, number>();
    let restored = 0;
    for (const organizationId of await organizationIds(typed, session)) {
      for await (const page of pagesOf(session, organizationId, apply)) {
        restored += page.restored.length;
        for (const [reason, n] of Object.entries(page.kept)) kept.set(reason, (kept.get(reason) ?? 0) + n);
        if (page.restored.length === 0) continue;
        const rows = page.restored.map(({ subscriberId, email, status, causes }) => [
          ...[organizationId, subscriberId, email, status],
          Object.entries(causes)
            .map(([cause, n]) => `${cause} ${n}`)
            .join(', '),
        ]);
        for (const line of tableLines([headings, ...rows])) terminal.say(line);
      }
    }
    const reasons = [...kept].map(([reason, n]) => `${reason} ${n}`).join(', ');
    terminal.say(`${restored} ${apply ? 'restored' : 'to restore'}; kept suppressed: ${reasons || 'none'}.`);
    if (!apply && restored > 0) terminal.say('Nothing was changed. Repeat with --apply to restore the statuses.');
  },
};

export const suppressionCommands = [review];

const headings = ['ORGANIZATION', 'SUBSCRIBER', 'EMAIL', 'STATUS', 'CAUSES'];

async function organizationIds(typed: Typed, session: Session): Promise<string[]> {
  const named = typed.text('org');
  if (named !== undefined) return [await session.organizationId(named)];
  const { organizations } = await (await session.domain()).list_organizations({}, session.caller());
  const { placement } = await session.bus();
  for (const { id, cell } of organizations) placement.note({ organizationId: id, cell });
  return organizations.map(({ id }) => id);
}

/** Each page is a transaction; an interrupted review can be repeated. */
async function* pagesOf(session: Session, organizationId: string, apply: boolean) {
  const life = (await session.bus()).client(subscriberLifeRequests);
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof life.review_suppressions>> = await life.review_suppressions(
      { after, apply },
      session.caller(organizationId),
    );
    yield page;
    after = page.next;
  } while (after !== null);
}
