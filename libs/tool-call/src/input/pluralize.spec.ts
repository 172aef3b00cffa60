import { expect, it } from '@jest/globals';
import { pluralize } from './pluralize.js';

it('counts as people read numbers', () => {
  expect([0, 1, 12_408].map((n) => pluralize(n, 'run'))).toEqual(['0 runs', '1 run', '12,408 runs']);
});
