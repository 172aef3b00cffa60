/**
 * The rules of this repository for oxlint. Each refuses what a selector (ESTree) finds; `.oxlintrc.json` says where.
 */

/** @typedef {{ report(problem: { node: unknown, message: string }): void }} Context */

/** @param {Record<string, string>} messages by selector */
const refuse = (messages) => ({
  /** @param {Context} context */
  create: (context) =>
    Object.fromEntries(
      Object.entries(messages).map(([selector, message]) => [
        selector,
        (/** @type {unknown} */ node) => context.report({ node, message }),
      ]),
    ),
});

export default {
  meta: { name: 'tidings' },
  rules: {
    /** `process.env` is read in one place an app: its config.ts (HTTP and broker addresses, secrets, limits). */
    environment: refuse({
      "MemberExpression[object.name='process'][property.name='env']": 'Read the environment in config.ts only.',
    }),

    /** Rules, and the libs that are pure, take `now`; leases, timers and guards use the database clock. */
    clock: refuse({
      "NewExpression[callee.name='Date'][arguments.length=0]": 'Take `now` as a parameter.',
      "NewExpression[callee.name='Date'] CallExpression[callee.object.name='Date'][callee.property.name='now']":
        'Take `now` as a parameter.',
    }),

    /** A spec awaits conditions (`until`); a wait of fixed length says in a disabling comment why no condition serves. */
    'fixed-waits': refuse({
      'CallExpression[callee.name=/^(setTimeout|pause|sleep|delay)$/]':
        'Await a condition (`until`). Where none serves, such as to prove that nothing happens, say so here.',
      "ImportSpecifier[imported.name='setTimeout'][local.name!='pause']":
        'Import it as `pause`, whose calls are checked.',
    }),

    /** A component holds no text: texts stand in messages/, by noun. */
    texts: refuse({
      'JSXText[value=/[A-Za-z]{2}/]': 'Take the text from messages/en/<noun>.ts.',
      'JSXAttribute[name.name=/^(title|label|placeholder|alt|hint|aria-label|lead)$/] > Literal[value=/[A-Za-z]{2}/]':
        'Take the text from messages/en/<noun>.ts.',
    }),

    /** What the policy of the pages refuses, or another user could fill with a script. */
    injections: refuse({
      "JSXAttribute[name.name='dangerouslySetInnerHTML']":
        'HTML of a mail goes to the preview frame; everything else is text.',
      'AssignmentExpression > MemberExpression[property.name=/^(innerHTML|outerHTML|srcdoc)$/]':
        'The policy of the pages (Trusted Types) refuses it.',
    }),
  },
};
