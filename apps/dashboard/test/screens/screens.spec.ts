import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { SmtpSink } from '#testing';
import { screens } from '../../src/app/screens.js';
import { screenAddress, screenPaths } from '../../src/parts/screen-paths.js';
import { describeInBrowser } from '../harness.js';
import type { Account, Scheme, View, Visit } from '../harness.js';
import { joinAs } from '../owner-calls.js';
import { answerHuge, failAll, failureText, holdAll } from './answers.js';
import { refusedAddress, makeSamples, outsideAddresses } from './samples.js';

const pictures = '.artefacts/dashboard';
type Place = { view: View; scheme: Scheme };
const light: Place = { view: 'desktop', scheme: 'light' };
const dark: Place = { view: 'phone', scheme: 'dark' };
const isWhole = process.env.TIDINGS_SCREENS !== undefined;
/** In CI each screen once in light on a desktop and in dark on a phone; the whole grid by `npm run screenshots`. */
const grid: readonly Place[] = isWhole
  ? [light, { view: 'desktop', scheme: 'dark' }, { view: 'phone', scheme: 'light' }, dark]
  : [light, dark];
/** Milliseconds for all screens in one state. */
const stateMs = 300_000;

let sink: SmtpSink;
const environment = async () => {
  const behave: SmtpSink['behave'] = (to) =>
    to === refusedAddress
      ? { do: 'refuse', at: 'RCPT', reply: '550 5.1.1 The email account that you tried to reach does not exist' }
      : { do: 'accept' };
  sink = await SmtpSink.start({ behave });
  return { SMTP_URL: sink.url };
};

describeInBrowser({ name: 'every screen', environment }, (fixture) => {
  let samples: Record<string, string>;
  const looked = new Map<string, { screens: Set<string>; runs: number; faults: number }>();

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await fixture().setUp();
  });
  afterAll(async () => {
    await sink.stop();
    const all = [...looked.entries()];
    const sum = (key: 'runs' | 'faults') => all.reduce((total, [, one]) => total + one[key], 0);
    const parts = all.map(([state, one]) => `${state} ${one.screens.size} screens, ${one.runs} runs`);
    process.stdout.write(
      `\naxe: ${sum('runs')} runs in ${all.length} states, ${sum('faults')} faults (${parts.join('; ')})\n`,
    );
  });

  interface Asked {
    state: string;
    place: Place;
    addresses: Record<string, string>;
    visit: Visit;
    /** Whether what is read has to arrive before the screen is looked at; default: yes. */
    settles?: boolean;
    /** What every screen must show in this state. */
    shown?: Locator;
  }

  /** Looks at screens one after the other in one browser, and fails with the faults of all. */
  const look = async ({ state, place: { view, scheme }, addresses, visit, settles = true, shown }: Asked) => {
    const note = looked.get(state) ?? { screens: new Set(), runs: 0, faults: 0 };
    looked.set(state, note);
    const faults: string[] = [];
    // In CI each screen is loaded once, and reached as by a link in its other states.
    const isLoadedEachTime = isWhole || (state === 'filled' && view === 'desktop');
    for (const [place, [name, address]] of Object.entries(addresses).entries()) {
      if (isLoadedEachTime || place === 0) await visit.open(address);
      else await visit.go(address);
      if (settles) await visit.settled();
      if (isWhole)
        await visit.page.screenshot({
          path: `${pictures}/${state === 'filled' ? name : `${name}-${state}`}.${view}.${scheme}.png`,
        });
      const found = [
        ...(shown === undefined || (await shown.count()) > 0 ? [] : ['It does not show its state.']),
        ...(await visit.axe()),
        ...((await visit.scrollsSideways()) ? ['It scrolls sideways.'] : []),
        ...visit.problems.splice(0),
      ];
      faults.push(...found.map((fault) => `${name}: ${fault}`));
      note.screens.add(name);
      note.runs++;
    }
    note.faults += faults.length;
    expect(faults).toEqual([]);
    await visit.close();
  };

  /** The screens of the organization; those of a record with the ids of the samples. */
  const addressesOf = (ids: Record<string, string>): Record<string, string> =>
    Object.fromEntries(screens.map(({ name }) => [name, screenAddress(1, name, ids)]));
  const outside = (isSignedIn: boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(outsideAddresses).flatMap(([name, { address, signedIn }]) =>
        signedIn === isSignedIn ? [[name, address]] : [],
      ),
    );
  const installation = ['installation', 'dead-letters', 'organizations'];
  const inInstallation = (): Record<string, string> =>
    Object.fromEntries(installation.map((name) => [name, outsideAddresses[name]!.address]));
  /** In CI one place a state; in turn, so that both are seen. */
  const placesOf = (turn: number): readonly Place[] => (isWhole ? grid : [turn % 2 === 0 ? light : dark]);
  const nameOf = ({ view, scheme }: Place) => `${view}, ${scheme}`;

  describe('before there is anything', () => {
    const nothing = Object.fromEntries(
      screens.flatMap(({ name }) => [...screenPaths[name].matchAll(/\$(\w+)/g)].map(([, param]) => [param!, 'none'])),
    );
    for (const place of placesOf(1))
      it(
        `has no fault when it is empty, or its record does not exist: ${nameOf(place)}`,
        async () => {
          const addresses = { ...addressesOf(nothing), ...inInstallation() };
          await look({ state: 'empty', place, addresses, visit: await fixture().signedIn(place) });
        },
        stateMs,
      );
  });

  describe('with records', () => {
    // People of their own: the limit of calls a minute is each user's.
    let viewer: Account;
    let admin: Account;

    beforeAll(async () => {
      samples = await makeSamples(fixture());
      viewer = await joinAs(fixture(), sink, 'viewer');
      admin = await joinAs(fixture(), sink, 'admin');
    }, stateMs);

    it('has a sample of each record', () => {
      const wanted = screens.flatMap(({ name }) =>
        [...screenPaths[name].matchAll(/\$(\w+)/g)].map(([, param]) => param!),
      );
      // A screen of a record needs a sample of it: samples.ts.
      expect(wanted.filter((param) => samples[param] === undefined)).toEqual([]);
    });

    for (const place of grid) {
      it(
        `has no fault of accessibility, width or policy: ${nameOf(place)}`,
        async () => {
          const addresses = { ...addressesOf(samples), ...outside(true) };
          const person = place.view === 'phone' ? { person: admin } : {};
          await look({ state: 'filled', place, addresses, visit: await fixture().signedIn({ ...place, ...person }) });
        },
        stateMs,
      );
      it(
        `has no fault for a person without a session: ${nameOf(place)}`,
        async () => {
          await look({ state: 'filled', place, addresses: outside(false), visit: await fixture().visit(place) });
        },
        stateMs,
      );
    }

    for (const place of placesOf(0))
      it(
        `has no fault while it is read: ${nameOf(place)}`,
        async () => {
          const visit = await fixture().signedIn(place);
          await holdAll(visit.page);
          const addresses = { ...addressesOf(samples), ...inInstallation() };
          const shown = visit.page.locator('[aria-busy=true], [data-skeleton]');
          await look({ state: 'loading', place, addresses, visit, settles: false, shown });
        },
        stateMs,
      );

    for (const place of placesOf(1))
      it(
        `has no fault when nothing can be read: ${nameOf(place)}`,
        async () => {
          const visit = await fixture().signedIn(place);
          await failAll(visit.page);
          const addresses = { ...addressesOf(samples), ...inInstallation() };
          await look({ state: 'error', place, addresses, visit, shown: visit.page.getByText(failureText) });
        },
        stateMs,
      );

    for (const place of placesOf(0))
      it(
        `has no fault for the lowest role: ${nameOf(place)}`,
        async () => {
          const visit = await fixture().signedIn({ ...place, person: viewer });
          const addresses = { ...addressesOf(samples), ...inInstallation() };
          await look({ state: 'no-permission', place, addresses, visit });
        },
        stateMs,
      );

    for (const place of placesOf(1))
      it(
        `has no fault with a million records: ${nameOf(place)}`,
        async () => {
          const visit = await fixture().signedIn(place);
          await answerHuge(visit.page);
          await look({ state: 'huge', place, addresses: addressesOf(samples), visit });
        },
        stateMs,
      );
  });
});
