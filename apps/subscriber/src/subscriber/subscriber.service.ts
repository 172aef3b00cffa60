import type { SubscriberStatus } from '#contracts';
import { newId } from '#database';
import type { Sql } from '#database';
import type { Outbox } from '#events';
import { assertWithinQuota, quotaOf, ToolError } from '#tool-call';
import type { Bounds } from '#tool-call';
import type { Field } from '../field/field.js';
import { roomRefusal, valueRefusal } from '../field/field.js';
import { FieldRepository } from '../field/field.repository.js';
import { SubscriberTagRepository } from '../tag/subscriber-tag.repository.js';
import type { Tag } from '../tag/tag.js';
import { TagRepository } from '../tag/tag.repository.js';
import { nameKey } from '../text/text.js';
import type { HashAddress } from '#link-token';
import { SubscriberChangeService } from './subscriber-change.service.js';
import type { RecorderOptions } from './subscriber-change.service.js';
import type { Address, ProfileInput, Profile } from './profile.js';
import { initialStatus, nextStatus, owesConfirmation, returnWarning, suppressionWarning } from './subscriber.js';
import type { StatusChangeRequest, SubscriberState } from './subscriber.js';
import { NewSubscriberRepository } from './new-subscriber.repository.js';
import type { NewSubscriber } from './new-subscriber.repository.js';
import { SubscriberRepository } from './subscriber.repository.js';
import type { KeyedState, SubscriberUpdate } from './subscriber.repository.js';

export interface SaveOptions extends Omit<RecorderOptions, 'sql' | 'outbox'> {
  wish: StatusChangeRequest;
  replaceTags: boolean;
  bounds?: Bounds | undefined;
  source: string;
}

export interface Saved {
  id: string;
  created: boolean;
  /** Whether an existing subscriber has other values, tags or another status now. */
  changed: boolean;
  /** Notes on records that the call created, such as tags; the same for each subscriber. */
  news: readonly string[];
  /** Why the subscriber receives no mail; null when there is no reason. */
  warning: string | null;
}

/** Custom fields by name key, and whether the call made them. */
type FieldsByKey = ReadonlyMap<string, Field & { created: boolean }>;

interface Work {
  input: Profile;
  /** Null for a new subscriber. */
  before: SubscriberState | null;
  from: SubscriberStatus | null;
  /** Whether the person got another mailbox, which has not been asked to confirm. */
  moved: boolean;
  id: string;
  status: SubscriberStatus;
  custom: Record<string, string>;
  fieldChanges: { fieldId: string; field: string; from: string | null; to: string | null }[];
  tagIds: string[];
  addedTags: Tag[];
  removedTags: Tag[];
}

/**
 * Saves any number of subscribers in the same few statements; existing rows are locked first, so the rules decide on
 * data that cannot change.
 */
export class SubscriberService {
  readonly #people: SubscriberRepository;
  readonly #newcomers: NewSubscriberRepository;
  readonly #tags: SubscriberTagRepository;

  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
    private readonly hashAddress: HashAddress,
  ) {
    this.#people = new SubscriberRepository(sql);
    this.#newcomers = new NewSubscriberRepository(sql);
    this.#tags = new SubscriberTagRepository(sql);
  }

  /**
   * @param inputs one a mailbox: their email keys differ
   * @throws ToolError QUOTA_REACHED when there would be too many people, LIMIT_REACHED when there would be too many custom
   * fields or values; then nothing is saved
   */
  async save(inputs: readonly ProfileInput[], options: SaveOptions): Promise<Saved[]> {
    const { saved, refused } = await this.saveFitting(inputs, options);
    for (const refusal of refused.values()) throw refusal;
    return saved;
  }

  /**
   * The same, but leaves out subscribers who are over a limit of custom fields or values.
   * @returns the saved subscribers, in order, and the refusals of the others by email key
   * @throws ToolError QUOTA_REACHED
   */
  async saveFitting(
    inputs: readonly ProfileInput[],
    options: SaveOptions,
  ): Promise<{ saved: Saved[]; refused: Map<string, ToolError> }> {
    const { refused, known } = await this.#checkFields(inputs, options.organizationId);
    for (const { emailKey, fields } of inputs) {
      const refusal = refused.has(emailKey) ? null : valueRefusal([], fields.values());
      if (refusal) refused.set(emailKey, refusal);
    }
    const fitting = inputs.filter(({ emailKey }) => !refused.has(emailKey));
    if (fitting.length === 0) return { saved: [], refused };
    const fields = known ?? (await this.#makeFields(fitting, options.organizationId));
    const tags = await this.#makeTags(fitting, options.organizationId);
    const works = await this.#insertOrLock(fitting, fields, tags, options);
    await this.#assertRoom(works.filter(({ before }) => !before).length, options);
    const kept = works.filter(({ before, custom }, place) => {
      const refusal = before && valueRefusal(Object.values(before.custom), Object.values(custom));
      if (refusal) refused.set(fitting[place]!.emailKey, refusal);
      return !refusal;
    });
    return { saved: await this.#finish(kept, fields, tags, options), refused };
  }

  /**
   * Finds the inputs whose custom fields would exceed the limit, in order; those of the others fit together.
   * @returns the refusals by email key, and the fields by name key where none is missing
   */
  async #checkFields(
    inputs: readonly ProfileInput[],
    organizationId: string,
  ): Promise<{ refused: Map<string, ToolError>; known: FieldsByKey | null }> {
    const refused = new Map<string, ToolError>();
    const keysOf = new Map(inputs.map(({ emailKey, fields }) => [emailKey, [...fields.keys()].map(nameKey)]));
    const keys = [...new Set([...keysOf.values()].flat())];
    if (keys.length === 0) return { refused, known: new Map() };
    const repository = new FieldRepository(this.sql);
    const known = await repository.listByKeys(organizationId, keys);
    if (known.size === keys.length) return { refused, known };
    // Inputs that exceed the limit alone are refused at once: only calls that may fit wait for one another.
    const unlocked = await repository.getRoom(organizationId);
    for (const [emailKey, own] of keysOf) {
      const refusal = roomRefusal(unlocked, own.filter((key) => !unlocked.nameKeys.has(key)).length);
      if (refusal) refused.set(emailKey, refusal);
    }
    if (refused.size === inputs.length) return { refused, known: null };
    const room = await repository.getRoomLocked(organizationId);
    const present = new Set(room.nameKeys);
    for (const [emailKey, all] of keysOf) {
      if (refused.has(emailKey)) continue;
      const own = all.filter((key) => !present.has(key));
      const refusal = roomRefusal(room, own.length);
      if (refusal) refused.set(emailKey, refusal);
      else {
        room.used += own.length;
        for (const key of own) present.add(key);
      }
    }
    return { refused, known: null };
  }

  /**
   * Changes one person by id, and the address where another one is given.
   * @returns null when there is no such subscriber
   */
  async update(
    id: string,
    { profile, address }: { profile: Profile; address: Address | null },
    options: SaveOptions,
  ): Promise<Saved | null> {
    const { organizationId } = options;
    const fields = await this.#makeFields([profile], organizationId);
    const tags = await this.#makeTags([profile], organizationId);
    const found = await this.#people.lockById(organizationId, id);
    if (!found) return null;
    const moved = address !== null && address.emailKey !== found.emailKey;
    if (moved) await this.#move(found, address, options);
    else if (address && address.email !== found.email) {
      await this.#people.updateSpelling(organizationId, id, address.email, options.now);
    }
    const before = moved ? (await this.#people.lockById(organizationId, id))! : found;
    const work = { ...workOf(profile, before, fields, tags, options.wish), from: found.status, moved };
    const refusal = valueRefusal(Object.values(before.custom), Object.values(work.custom));
    if (refusal) throw refusal;
    const [saved] = await this.#finish([work], fields, tags, options);
    return saved!;
  }

  async #move(found: KeyedState, address: Address, { organizationId, now }: SaveOptions): Promise<void> {
    const owner = await this.#people.findIdByKey(organizationId, address.emailKey);
    if (owner) throw new ToolError('EMAIL_TAKEN', { email: address.email, subscriberId: owner });
    await this.#people.updateAddress(organizationId, found.id, {
      address,
      hash: this.hashAddress(organizationId, address.emailKey),
      formerHash: this.hashAddress(organizationId, found.emailKey),
      now,
    });
  }

  async #finish(
    works: readonly Work[],
    fields: FieldsByKey,
    tags: Map<string, Tag>,
    options: SaveOptions,
  ): Promise<Saved[]> {
    const released = await this.#changeTags(works, tags, options);
    const changed = works.filter(({ before }) => before).flatMap((work) => updateOf(work, options) ?? []);
    const changedIds = new Set(changed.map(({ id }) => id));
    if (changed.length > 0) await this.#people.update(options.organizationId, changed, options.now);
    const yes = options.wish.resubscribe ? works.flatMap(({ id, before }) => (before ? [id] : [])) : [];
    if (yes.length > 0) await this.#people.updateOptedIn(options.organizationId, yes, options.now);
    const recorder = new SubscriberChangeService({ ...options, sql: this.sql, outbox: this.outbox, locked: true });
    for (const work of works) record(work, released.get(work.id) ?? [], recorder, options);
    await recorder.save();
    const made = [...fields.values()].filter(({ created }) => created);
    const news = made.map(({ name }) => `The custom field "${name}" did not exist and was created.`);
    return works.map((work) => ({
      id: work.id,
      created: !work.before,
      changed: changedIds.has(work.id),
      news,
      warning: warningOf(work),
    }));
  }

  /** Checks the quota for new subscribers only; concurrent calls wait for one another, so that it is never exceeded. */
  async #assertRoom(asked: number, options: SaveOptions): Promise<void> {
    if (asked === 0 || quotaOf(options, 'contacts') === null) return;
    const used = await this.#people.countLocked(options.organizationId);
    assertWithinQuota(options, 'contacts', { used, asked });
  }

  async #makeFields(inputs: readonly Profile[], organizationId: string): Promise<FieldsByKey> {
    const names = new Set(inputs.flatMap(({ fields }) => [...fields.keys()]));
    if (names.size === 0) return new Map();
    return await new FieldRepository(this.sql).upsertByNames(organizationId, [...names]);
  }

  async #makeTags(inputs: readonly Profile[], organizationId: string): Promise<Map<string, Tag>> {
    const names = new Set(inputs.flatMap(({ tags }) => tags));
    if (names.size === 0) return new Map();
    const tags = await new TagRepository(this.sql).upsertByNames(organizationId, [...names]);
    return new Map(tags.map((tag) => [nameKey(tag.name), tag]));
  }

  /** Inserts new subscribers and locks existing ones; a subscriber deleted in between is tried again. */
  async #insertOrLock(
    inputs: readonly ProfileInput[],
    fields: FieldsByKey,
    tags: Map<string, Tag>,
    options: SaveOptions,
  ): Promise<Work[]> {
    const works = new Map<string, Work>();
    let open = inputs;
    while (open.length > 0) {
      const fresh = open.map((input) => ({ input, work: workOf(input, null, fields, tags, options.wish) }));
      const rows = fresh.map(({ input, work }) => this.#newSubscriber(input, work, options));
      const inserted = await this.#newcomers.insert(options.organizationId, rows, options.now);
      for (const { input, work } of fresh) {
        const status = inserted.get(input.emailKey);
        if (status) works.set(input.emailKey, { ...work, status });
      }
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

  #newSubscriber(input: ProfileInput, { id, status, custom, tagIds }: Work, options: SaveOptions): NewSubscriber {
    const pending = status === 'PENDING_CONFIRMATION';
    const { email, emailKey, isRole, isDisposable, name = null, phone = null, country = null, ip = null } = input;
    return {
      id,
      email,
      emailKey,
      isRole,
      isDisposable,
      name,
      phone,
      country,
      ip,
      status,
      custom,
      withheldTags: pending && options.triggerWorkflows ? tagIds : [],
      confirmationDue: pending,
      resubscribes: options.wish.resubscribe,
      addressHash: this.hashAddress(options.organizationId, emailKey),
    };
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
  input: Profile,
  before: SubscriberState | null,
  fields: FieldsByKey,
  tags: Map<string, Tag>,
  change: StatusChangeRequest,
): Work {
  const custom = { ...before?.custom };
  const fieldChanges: Work['fieldChanges'] = [];
  for (const [name, to] of input.fields) {
    const field = fields.get(nameKey(name))!;
    const from = custom[field.key] ?? null;
    if (from === to) continue;
    if (to === null) delete custom[field.key];
    else custom[field.key] = to;
    fieldChanges.push({ fieldId: field.id, field: field.name, from, to });
  }
  return {
    input,
    before,
    from: before?.status ?? null,
    moved: false,
    id: before?.id ?? newId('sub'),
    status: before ? nextStatus(before, change) : initialStatus(change),
    custom,
    fieldChanges,
    tagIds: [...new Set(input.tags.map((name) => tags.get(nameKey(name))!.id))],
    addedTags: [],
    removedTags: [],
  };
}

function warningOf({ before, from, status }: Work): string | null {
  if (!before || (before.status !== from && status === 'UNSUBSCRIBED')) return returnWarning(status);
  return suppressionWarning(before);
}

/** The update of an existing subscriber; null when it has these values already. */
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
    confirmationDue: pending && asksToConfirm(work, options),
  };
  const same =
    !after.statusChanged &&
    !after.confirmationDue &&
    work.fieldChanges.length + work.addedTags.length + work.removedTags.length === 0 &&
    (['name', 'phone', 'country', 'ip'] as const).every((key) => after[key] === before[key]) &&
    after.withheldTags.length === before.withheldTags.length;
  return same ? null : after;
}

/**
 * Imports assert consent and ask for no confirmation. An update asks only for a new mailbox, or when the status becomes
 * pending by it.
 */
function asksToConfirm({ before, moved, status, from }: Work, { wish: change, now }: SaveOptions): boolean {
  if (moved) return true;
  return (change.via === 'add' || (change.via === 'update' && status !== from)) && owesConfirmation(before, now);
}

/** The subscription comes before fields and tags, so that consumers of the events have the subscriber by then. */
function record(work: Work, released: readonly Tag[], recorder: SubscriberChangeService, options: SaveOptions): void {
  const { before, from, status } = work;
  const about = { id: work.id, status, created: !before };
  if (status !== from) {
    recorder.status(from, status);
    if (status === 'SUBSCRIBED') recorder.subscribed(about, options.source);
  }
  for (const tag of released) recorder.withheldTagReleased(about, tag);
  for (const change of work.fieldChanges) recorder.fieldUpdated(about, change);
  for (const tag of work.removedTags) recorder.tagRemoved(about, tag);
  for (const tag of work.addedTags) recorder.tagAdded(about, tag, status === 'PENDING_CONFIRMATION');
}
