import type { DomainEvent } from '#contracts';
import { newId } from '#database';
import type { CallKind } from '#bus';
import type { Outcome } from '#tool-call';

interface Person {
  organizationId: string;
  email: string;
  tags: Set<string>;
}
type TagFilter = { tagIds: string[] };
type Subjects = { subscriberId: string; callId: string }[];
interface Asked {
  subscriberIds: string[];
  conditions: TagFilter[][];
  workflowId: string;
  action: { kind: 'ADD_TAGS' | 'REMOVE_TAGS'; tagIds: string[] };
  subjects: Subjects;
  sendKey: string;
  messages: { sourceKey: string; subscriberId: string }[];
  mail: object | null;
}

/**
 * Fakes the services that own subscribers and mail, by the requests that the engine sends them. An effect with the same
 * id is applied once.
 */
export class FakeServices {
  readonly #people = new Map<string, Person>();
  readonly #effects = new Set<string>();
  readonly #emails = new Set<string>();
  readonly #mails = new Map<string, number>();
  /** Events not yet delivered to workflows. */
  readonly events: DomainEvent[] = [];

  add(organizationId: string): string {
    const id = newId('sub');
    this.#people.set(id, { organizationId, email: `${id}@example.com`, tags: new Set() });
    return id;
  }

  /** Adds a tag to a subscriber, with an event when the tag is new. */
  give(subscriberId: string, tagId: string, by: { workflowId: string | null; now: Date }): void {
    const person = this.#people.get(subscriberId)!;
    if (person.tags.has(tagId)) return;
    person.tags.add(tagId);
    this.#tell('tag.added', subscriberId, tagId, by);
  }

  take(subscriberId: string, tagId: string, by: { workflowId: string | null; now: Date }): void {
    if (this.#people.get(subscriberId)!.tags.delete(tagId)) this.#tell('tag.removed', subscriberId, tagId, by);
  }

  tagsOf(subscriberId: string): ReadonlySet<string> {
    return this.#people.get(subscriberId)!.tags;
  }

  mailsOf(subscriberId: string): number {
    return this.#mails.get(subscriberId) ?? 0;
  }

  /** Answers a request as its owner would. */
  answer(kind: CallKind, { name }: { name: string }, input: unknown, now: Date): Outcome {
    const asked = structuredClone(input) as Asked;
    if (kind !== 'requests') throw new Error(`nobody asks the crowd for ${kind}`);
    if (name === 'get_people')
      return { ok: true, data: { people: asked.subscriberIds.map((id) => this.#shown(id, asked)) } };
    if (name === 'apply_workflow_action') return { ok: true, data: { applied: this.#apply(asked, now) } };
    if (name === 'queue_workflow_messages') return { ok: true, data: { accepted: this.#queue(asked) } };
    throw new Error(`nobody asks the crowd for ${name}`);
  }

  #shown(subscriberId: string, { conditions }: Asked) {
    const { email, tags } = this.#people.get(subscriberId)!;
    const shows = conditions.map((filters) => filters.every(({ tagIds }) => tagIds.some((id) => tags.has(id))));
    return { subscriberId, email, status: 'SUBSCRIBED', suppressed: null, shows, fields: [] };
  }

  #apply({ workflowId, action, subjects }: Asked, now: Date): number {
    const fresh = subjects.filter(({ callId }) => this.#isNew(callId));
    for (const { subscriberId } of fresh)
      for (const tagId of action.tagIds) {
        if (action.kind === 'ADD_TAGS') this.give(subscriberId, tagId, { workflowId, now });
        else this.take(subscriberId, tagId, { workflowId, now });
      }
    return fresh.length;
  }

  #queue({ sendKey, messages, mail }: Asked): boolean {
    if (mail) this.#emails.add(sendKey);
    if (!this.#emails.has(sendKey)) return false;
    for (const { subscriberId } of messages.filter(({ sourceKey }) => this.#isNew(sourceKey)))
      this.#mails.set(subscriberId, this.mailsOf(subscriberId) + 1);
    return true;
  }

  #isNew(effect: string): boolean {
    const isNew = !this.#effects.has(effect);
    this.#effects.add(effect);
    return isNew;
  }

  #tell(
    name: 'tag.added' | 'tag.removed',
    subscriberId: string,
    tagId: string,
    { workflowId, now }: { workflowId: string | null; now: Date },
  ): void {
    const { organizationId } = this.#people.get(subscriberId)!;
    const cause = { kind: workflowId ? ('workflow' as const) : ('tool' as const), id: workflowId };
    const about = { subscriberId, subscriberStatus: 'SUBSCRIBED' as const, triggerWorkflows: true, cause };
    const data = { ...about, tagId, tagName: tagId, occurredAt: now.toISOString() };
    this.events.push({ id: newId('evt'), organizationId, name, data });
  }
}
