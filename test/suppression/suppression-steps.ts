import fc from 'fast-check';

/** Kinds of soft bounces: what a server says, and whether it says something about the mailbox. */
export const softBounces = {
  full: { status: '4.2.2', text: '452 4.2.2 The mailbox is full', counts: true },
  disabled: { status: '5.2.1', text: '550 5.2.1 The mailbox is disabled', counts: true },
  policy: { status: '5.7.1', text: '550 5.7.1 Rejected by local policy', counts: false },
  content: { status: '5.6.0', text: '554 5.6.0 Message content rejected', counts: false },
  rate: { status: '4.7.28', text: '421 4.7.28 Unusual rate of mail from your IP address', counts: false },
} as const;
export type SoftBounce = keyof typeof softBounces;

/**
 * One step of a sequence. Addresses and mails are numbers, which are taken modulo how many there are; a step that finds
 * nothing to act on does nothing.
 */
export type Step =
  | { do: 'add' | 'import'; address: number; resubscribe: boolean }
  | { do: 'resubscribe' | 'transact' | 'delete' | 'reactivate' | 'unsubscribe' | 'confirm'; address: number }
  | { do: 'rename'; address: number; to: number }
  /** Deletes what messages say of subscribers who were deleted. */
  | { do: 'erase' }
  /** A campaign to all who may be mailed. */
  | { do: 'send' }
  /** The links of a mail; a `late` choice is applied with the next `deliver`. */
  | { do: 'leave'; mail: number; late: boolean }
  | { do: 'back'; mail: number }
  /** A report of a mail: by its return path, or by Message-ID and recipient. It is applied with the next `deliver`. */
  | { do: 'hard' | 'complain'; mail: number; byRecipient: boolean }
  /** Soft bounces of `times` mails to one subscriber. */
  | { do: 'soft'; address: number; cause: SoftBounce; times: number }
  /** Carries what services have to say to each other. */
  | { do: 'deliver' };

/** Fewer addresses than mails, so that most steps meet the past of an address. */
export const addresses = ['a', 'b', 'c'] as const;
/** Mostly the first address and the oldest mails: what matters is the past of an address. */
const address = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const mail = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5);

const onAddress = <D extends string>(...what: [D, ...D[]]) => fc.record({ do: fc.constantFrom(...what), address });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('add', 'import'), address, resubscribe: fc.boolean() }) },
  { weight: 4, arbitrary: onAddress('delete') },
  { weight: 3, arbitrary: onAddress('resubscribe', 'transact', 'reactivate', 'unsubscribe', 'confirm') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename'), address, to: address }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('leave'), mail, late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('back'), mail }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('hard', 'complain'), mail, byRecipient: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('soft'),
      address,
      cause: fc.constantFrom(...(Object.keys(softBounces) as SoftBounce[])),
      times: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('deliver') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('erase') }) },
);

/** A sequence of steps in an organization of its own. */
export interface Sequence {
  doubleOptIn: boolean;
  steps: Step[];
}
export const sequence: fc.Arbitrary<Sequence> = fc.record({
  doubleOptIn: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
});

/** A step as a reader of a failure sees it. */
export const describeStep = ({ do: what, ...rest }: Step): string =>
  [
    what,
    ...Object.entries(rest).map(([name, value]) =>
      name === 'address' || name === 'to' ? `${name} ${addresses[value as number]}` : `${name} ${String(value)}`,
    ),
  ].join(', ');
