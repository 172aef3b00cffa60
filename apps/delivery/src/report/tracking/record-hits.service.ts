import type { EventData, Hit } from '#contracts';
import type { CallContexts } from '#service-host';
import type { Outbox } from '#events';
import { HitRepository } from './hit.repository.js';
import type { HitChange, HitMessage } from './hit.repository.js';
import { isMachineHit } from './classify-hit.js';

export type KeyedHit = Hit & { key: string };

interface Judged {
  hit: Hit;
  message: HitMessage;
  at: Date;
  machine: boolean;
}

/**
 * Records hits in one transaction, each id once. The row of the message decides which hit was first, and the events for
 * other services are written with it.
 * @returns the keys of hits to deliver again: the outcome of their message's attempt is not recorded yet
 */
export async function recordHits(contexts: CallContexts, hits: readonly KeyedHit[]): Promise<ReadonlySet<string>> {
  return await contexts.transaction(async ({ manager, outbox }) => {
    const repository = new HitRepository(manager);
    const fresh = await repository.insertSeen(hits.map(({ key }) => key));
    const unique = [...new Map(hits.filter(({ key }) => fresh.has(key)).map((hit) => [hit.key, hit])).values()];
    const messages = await repository.listForUpdate(unique);
    const rowless = unique.filter(({ messageId }) => !messages.has(messageId));
    const early = await setAsideEarly(repository, rowless);
    // The other outcomes may have been committed between the two statements.
    const late = await repository.listForUpdate(rowless.filter(({ key }) => !early.has(key)));
    for (const [messageId, message] of late) messages.set(messageId, message);
    const judged = unique.flatMap((hit) => judge(hit, messages.get(hit.messageId)));
    if (judged.length === 0) return early;
    const people = judged.filter(({ machine }) => !machine);
    const firstLinks = await repository.insertLinks(
      people.flatMap(({ hit, message }) => (hit.linkNumber === null ? [] : [{ message, linkNumber: hit.linkNumber }])),
    );
    await repository.update(changesOf(people));
    const clicked = judged.filter(({ hit }) => hit.kind === 'click');
    const links = await repository.listLinks(clicked.map(({ message }) => message));
    const firsts = new Set<string>();
    for (const one of judged) tell(one, { outbox, firsts, firstLinks, links });
    return early;
  });
}

/** Forgets hits that came before the row of their message, so that their redelivery counts. @returns their keys */
async function setAsideEarly(repository: HitRepository, hits: readonly KeyedHit[]): Promise<ReadonlySet<string>> {
  if (hits.length === 0) return new Set();
  const keys = await repository.listOpen(hits);
  if (keys.length > 0) await repository.deleteSeen(keys);
  return new Set(keys);
}

function judge(hit: Hit, message: HitMessage | undefined): Judged[] {
  if (message?.organizationId !== hit.organizationId) return [];
  const at = new Date(hit.at);
  const machine = isMachineHit({ kind: hit.kind, at, userAgent: hit.userAgent, acceptedAt: message.acceptedAt });
  return [{ hit, message, at, machine }];
}

/** A click implies an opening, for a reader whose mail program shows no images. */
function changesOf(people: readonly Judged[]): HitChange[] {
  const changes = new Map<string, HitChange>();
  for (const { hit, message, at } of people) {
    const change = changes.get(message.messageId) ?? { message, opens: 0, clicks: 0, openedAt: null, clickedAt: null };
    changes.set(message.messageId, change);
    change.openedAt ??= at;
    if (hit.kind === 'click') {
      change.clicks += 1;
      change.clickedAt ??= at;
    }
    if (hit.kind === 'open' || opensByClick(change)) change.opens += 1;
  }
  return [...changes.values()];
}

const opensByClick = ({ message, opens }: HitChange): boolean => message.firstOpenedAt === null && opens === 0;

interface Telling {
  outbox: Outbox;
  firsts: Set<string>;
  firstLinks: Set<string>;
  links: Map<string, string[]>;
}

function tell({ hit, message, machine }: Judged, { outbox, firsts, firstLinks, links }: Telling): void {
  const { messageId, organizationId, sendId, pageNo } = message;
  const key = sendId === null ? messageId : `${sendId}/${pageNo}`;
  const first = (what: 'open' | 'click', known: Date | null): boolean => {
    if (machine || known !== null || firsts.has(`${what} ${messageId}`)) return false;
    firsts.add(`${what} ${messageId}`);
    return true;
  };
  const { userAgent } = hit;
  const opened = first('open', message.firstOpenedAt);
  if (hit.kind === 'open' || opened) {
    outbox.add(organizationId, 'message.opened', { ...about(message, hit), machine, first: opened, userAgent }, key);
  }
  if (hit.kind === 'open') return;
  const firstOfLink = !machine && firstLinks.delete(`${messageId}/${hit.linkNumber}`);
  const clicked = {
    machine,
    first: first('click', message.firstClickedAt),
    firstOfLink,
    // The URL as in the content: with the values of one recipient in it, each would have a different link.
    url: links.get(sendId ?? '')?.[hit.linkNumber ?? -1] ?? hit.url ?? '',
    userAgent,
  };
  outbox.add(organizationId, 'message.clicked', { ...about(message, hit), ...clicked }, key);
}

const about = (message: HitMessage, hit: Hit): EventData<'message.sent'> => ({
  messageId: message.messageId,
  subscriberId: message.subscriberId,
  campaignId: message.campaignId,
  campaignName: message.campaignName,
  subject: message.subject,
  email: message.email,
  at: hit.at,
  simulated: message.simulated,
});
