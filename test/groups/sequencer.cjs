const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;
/** @type {string[]} */
const longest = require('./longest.json');

/** Starts the longest files first, so that none runs alone at the end: a fresh checkout has no durations of earlier runs. */
module.exports = class LongestFirst extends Sequencer {
  /** @override @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests */
  async sort(tests) {
    /** @param {(typeof tests)[number]} test */
    const place = ({ path: file, context }) => {
      const at = longest.indexOf(path.relative(context.config.rootDir, file));
      return at < 0 ? longest.length : at;
    };
    return [...(await super.sort(tests))].sort((a, b) => place(a) - place(b));
  }
};
