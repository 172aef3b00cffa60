import { leave } from './global-setup.mjs';

export default async function tearDown() {
  await leave();
}
