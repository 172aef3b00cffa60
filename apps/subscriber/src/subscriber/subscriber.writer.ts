import type { SubscriberStatus } from '#contracts';
import { newId } from '#database';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import type { Field } from '../field/field.js';
import { FieldRepository } from '../field/field.repository.js';
import { SubscriberTagRepository } from '../tag/subscriber-tag.repository.js';
import type { Tag } from '../tag/tag.js';
import { TagRepository } from '../tag/tag.repository.js';
import { nameKey } from '../text/text.js';
import { ChangeRecorder } from './change.recorder.js';
import type { RecorderOptions } from './change.recorder.js';
import type { PersonInput } from './person.js';
import { initialStatus, nextStatus, owesConfirmation, suppressionWarning } from './subscriber.js';
import type { StatusWish, SubscriberState } from './subscriber.js';
import { SubscriberRepository } from './subscriber.repository.js';
import type { NewSubscriber, SubscriberUpdate } from './subscriber.repository.js';

export interface SaveOptions extends Omit<RecorderOptions, 'sql' | 'outbox'> {
  wish: StatusWish;
  replaceTags: boolean;
  /** What SUBSCRIBED says of where the person came from. */
  source: string;
}

/** What became of one person of a call. */
export interface Saved {
  id: string;
  created: boolean;
  warnings: string[];
}

/** A person of the call with what was found or made for them. */
interface Work {
  input: PersonInput;
  /** Null for somebody new. */
  before: SubscriberState | null;
  id: string;
  status: SubscriberStatus;
  custom: Record<string, string>;
  fieldChanges: { field: string; from: string | null; to: string | null }[];
  tagIds: string[];
  addedTags: Tag[];
  removedTags: Tag[];
}

/**
 * Creates and updates people: any number in the same few statements, in the caller's transaction. Existing rows are
 * locked first, so the rules decide on what cannot change any more.
 */
export class SubscriberWriter {
  readonly #people: SubscriberRepository;
  readonly #tags: SubscriberTagRepository;

  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
  ) {
    this.#people = new SubscriberRepository(sql);
    this.#tags = new SubscriberTagRepository(sql);
  }

  /** @param inputs one a mailbox: their email keys differ */
  async save(inputs: readonly PersonInput[], options: SaveOptions): Promise<Saved[]> {
    if (inputs.length === 0) return [];
    const fields = await this.#makeFields(inputs, options.organizationId);
    const tags = await this.#makeTags(inputs, options.organizationId);
    const works = await this.#insertOrLock(inputs, fields, tags, options);
    const released = await this.#changeTags(works, tags, options);
    const changed = works.filter(({ before }) => before).flatMap((work) => updateOf(work, options) ?? []);
    if (changed.length > 0) await this.#people.update(options.organizationId, changed, options.now);
    const recorder = new ChangeRecorder({ ...options, sql: this.sql, outbox: this.outbox });
    for (const work of works) record(work, released.get(work.id) ?? [], recorder, options);
    await recorder.save();
    const made = [...fields.values()].filter(({ created }) => created);
    const news = made.map(({ name }) => `The custom field "${name}" did not exist and was created.`);
    return works.map(({ id, before }) => {
      const suppressed = before && suppressionWarning(before);
      return { id, created: !before, warnings: [...news, ...(suppressed ? [suppressed] : [])] };
    });
  }

  async #makeFields(inputs: readonly PersonInput[], organizationId: string) {
    const names = new Set(inputs.flatMap(({ fields }) => [...fields.keys()]));
    if (names.size === 0) return new Map<string, Field & { created: boolean }>();
    return await new FieldRepository(this.sql).upsertByNames(organizationId, [...names]);
  }

  async #makeTags(inputs: readonly PersonInput[], organizationId: string): Promise<Map<string, Tag>> {
    const names = new Set(inputs.flatMap(({ tags }) => tags));
    if (names.size === 0) return new Map();
    const tags = await new TagRepository(this.sql).upsertByNames(organizationId, [...names]);
    return new Map(tags.map((tag) => [nameKey(tag.name), tag]));
  }

  /** Who is new is inserted whole; who exists is locked. A person deleted in between is tried again. */
  async #insertOrLock(
    inputs: readonly PersonInput[],
    fields: Map<string, Field>,
    tags: Map<string, Tag>,
    options: SaveOptions,
  ): Promise<Work[]> {
    const works = new Map<string, Work>();
    let open = inputs;
    while (open.length > 0) {
      const fresh = open.map((input) => workOf(input, null, fields, tags, options.wish));
      const rows = fresh.map((work) => newSubscriber(work, options));
      const inserted = await this.#people.insertMissing(options.organizationId, rows, options.now);
      for (const work of fresh) if (inserted.has(work.input.emailKey)) works.set(work.input.emailKey, work);
      open = open.filter(({ emailKey }) => !inserted.has(emailKey));
      if (open.length === 0) break;
      const known = await this.#people.lockByKeys(
        options.organizationId,
        open.map(({ emailKey }) => emailKey),
      );
      for (const input of open) {
        const before = known.get(input.emailKey);
        if (before) works.set(input.emailKey, workOf(input, before, fields, tags, options.wish));
      }
      open = open.filter(({ emailKey }) => !known.has(emailKey));
    }
    return inputs.map(({ emailKey }) => works.get(emailKey)!);
  }

  /** @returns by subscriber, the tags whose triggers waited for a confirmation that this change brings */
  async #changeTags(works: readonly Work[], tags: Map<string, Tag>, options: SaveOptions): Promise<Map<string, Tag[]>> {
    const { organizationId, now, replaceTags } = options;
    const byId = new Map(works.map((work) => [work.id, work]));
    const asked = works.flatMap(({ id, before, status }) =>
      before && (replaceTags || (before.withheldTags.length > 0 && status === 'SUBSCRIBED')) ? [id] : [],
    );
    const held = asked.length > 0 ? await this.#tags.listOf(organizationId, asked) : [];
    const released = new Map<string, Tag[]>();
    for (const { subscriberId, tagId, tagName } of held) {
      const { before, status, tagIds } = byId.get(subscriberId)!;
      const goes = replaceTags && !tagIds.includes(tagId);
      if (status !== 'SUBSCRIBED' || goes || !before!.withheldTags.includes(tagId)) continue;
      released.set(subscriberId, [...(released.get(subscriberId) ?? []), { id: tagId, name: tagName }]);
    }
    if (replaceTags) {
      const surplus = held.filter(({ subscriberId, tagId }) => !byId.get(subscriberId)!.tagIds.includes(tagId));
      const nameOf = new Map(surplus.map(({ tagId, tagName }) => [tagId, tagName]));
      for (const { subscriberId, tagId } of await this.#tags.delete(organizationId, surplus)) {
        byId.get(subscriberId)!.removedTags.push({ id: tagId, name: nameOf.get(tagId)! });
      }
    }
    const nameOf = new Map([...tags.values()].map(({ id, name }) => [id, name]));
    const wanted = works.flatMap(({ id, tagIds }) => tagIds.map((tagId) => ({ subscriberId: id, tagId })));
    for (const { subscriberId, tagId } of await this.#tags.insert(organizationId, wanted, now)) {
      byId.get(subscriberId)!.addedTags.push({ id: tagId, name: nameOf.get(tagId)! });
    }
    return released;
  }
}

function workOf(
  input: PersonInput,
  before: SubscriberState | null,
  fields: Map<string, Field>,
  tags: Map<string, Tag>,
  wish: StatusWish,
): Work {
  const custom = { ...before?.custom };
  const fieldChanges: Work['fieldChanges'] = [];
  for (const [name, to] of input.fields) {
    const field = fields.get(nameKey(name))!;
    const from = custom[field.key] ?? null;
    if (from === to) continue;
    if (to === null) delete custom[field.key];
    else custom[field.key] = to;
    fieldChanges.push({ field: field.name, from, to });
  }
  return {
    input,
    before,
    id: before?.id ?? newId('sub'),
    status: before ? nextStatus(before, wish) : initialStatus(wish),
    custom,
    fieldChanges,
    tagIds: [...new Set(input.tags.map((name) => tags.get(nameKey(name))!.id))],
    addedTags: [],
    removedTags: [],
  };
}

function newSubscriber({ input, id, status, custom, tagIds }: Work, options: SaveOptions): NewSubscriber {
  const pending = status === 'PENDING_CONFIRMATION';
  return {
    id,
    email: input.email,
    emailKey: input.emailKey,
    name: input.name ?? null,
    phone: input.phone ?? null,
    country: input.country ?? null,
    ip: input.ip ?? null,
    status,
    isRole: input.isRole,
    isDisposable: input.isDisposable,
    custom,
    withheldTags: pending && options.triggerWorkflows ? tagIds : [],
    confirmationDue: pending,
  };
}

/** What is to be written for somebody who exists; null when everything is so already. */
function updateOf(work: Work, options: SaveOptions): SubscriberUpdate | null {
  const { input, status, custom } = work;
  const before = work.before!;
  const pending = status === 'PENDING_CONFIRMATION';
  const given = <K extends 'name' | 'phone' | 'country' | 'ip'>(key: K) =>
    input[key] === undefined ? before[key] : input[key];
  const withheldTags = pending && options.triggerWorkflows ? work.addedTags.map(({ id }) => id) : [];
  const after = {
    id: before.id,
    name: given('name'),
    phone: given('phone'),
    country: given('country'),
    ip: given('ip'),
    status,
    custom,
    withheldTags: pending ? [...new Set([...before.withheldTags, ...withheldTags])] : [],
    statusChanged: status !== before.status,
    // Imports assert consent and ask nobody to confirm.
    confirmationDue: pending && options.cause.kind !== 'import' && owesConfirmation(before, options.now),
  };
  const same =
    !after.statusChanged &&
    !after.confirmationDue &&
    work.fieldChanges.length === 0 &&
    (['name', 'phone', 'country', 'ip'] as const).every((key) => after[key] === before[key]) &&
    after.withheldTags.length === before.withheldTags.length;
  return same ? null : after;
}

/** The subscription comes before fields and tags, so that whoever follows the events knows the person by then. */
function record(work: Work, released: readonly Tag[], recorder: ChangeRecorder, options: SaveOptions): void {
  const { before, status } = work;
  const about = { id: work.id, status, created: !before };
  if (status !== before?.status) {
    recorder.status(before?.status ?? null, status);
    if (status === 'SUBSCRIBED') recorder.subscribed(about, options.source);
  }
  for (const tag of released) recorder.withheldTagReleased(about, tag);
  for (const change of work.fieldChanges) recorder.fieldUpdated(about, change);
  for (const tag of work.removedTags) recorder.tagRemoved(about, tag);
  for (const tag of work.addedTags) recorder.tagAdded(about, tag, status === 'PENDING_CONFIRMATION');
}
