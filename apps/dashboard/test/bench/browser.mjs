import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { demandChromium } from '../../../../scripts/find-chromium.mjs';

/** @typedef {import('../../../../bench/dashboard/measured-browser.js').MeasuredBrowser} MeasuredBrowser */
/** @typedef {import('../../../../bench/dashboard/measured-browser.js').OpenedAs} OpenedAs */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {typeof globalThis & { noted: number[], paints: number[], changes: number[], presses: number[] }} Notes */

const view = { width: 1280, height: 800 };
/** The period of a user's limit of 300 calls. */
const limitMs = 60_000;
/** Between screens, so that a round stays below the limit. */
const pauseMs = 1_000;
const screens = ['Campaigns', 'Subscribers', 'Segments', 'Tags', 'Fields', 'Approvals', 'Home'];

/**
 * Opens a Chromium in which the owner is signed in.
 * @param {OpenedAs} as
 * @returns {Promise<MeasuredBrowser>}
 */
export async function openBrowser({ url, email, password }) {
  const browser = await chromium.launch({
    executablePath: demandChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
  });
  let calls = 0;
  /** A page of a profile of its own, signed in. */
  const visit = async () => {
    const context = await browser.newContext({ viewport: view, baseURL: url, locale: 'en-GB' });
    // Mails name images of hosts that do not exist.
    await context.route(
      ({ origin }) => origin !== new URL(url).origin,
      (route) => route.abort(),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const reply = await page.request.post('/api/session', {
      data: { email, password },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    if (!reply.ok()) throw new Error(`sign-in: ${reply.status()} ${await reply.text()}`);
    page.on('request', (request) => void (request.url().includes('/api/v2/tools/') && calls++));
    await page.addInitScript(noteTimes);
    return page;
  };
  const page = await visit();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const used = metrics.find(({ name }) => name === 'JSHeapUsedSize');
    return (used?.value ?? Number.NaN) / 1_048_576;
  };
  const open = async (/** @type {string} */ address) => {
    await page.goto(address);
    await settled(page);
  };
  const takeInteractions = () =>
    page.evaluate(() => {
      const { noted } = /** @type {Notes} */ (globalThis);
      return noted.splice(0);
    });

  return {
    async firstPaints(runs) {
      const times = [];
      for (let run = 0; run < runs; run++) {
        const cold = await visit();
        await cold.goto('/1');
        await settled(cold);
        // The browser reports a paint a moment after it.
        await cold.waitForFunction(() => /** @type {Notes} */ (globalThis).paints.length > 0);
        times.push(await cold.evaluate(() => /** @type {Notes} */ (globalThis).paints.at(-1) ?? Number.NaN));
        await cold.context().close();
      }
      return times;
    },

    async routeChanges(runs) {
      await open('/1');
      for (const name of screens) await goTo(page, name);
      const times = [];
      for (let run = 0; run < runs; run++) times.push(await goTo(page, screens[run % screens.length] ?? 'Home'));
      return times;
    },

    async interactions() {
      await open('/1/subscribers');
      await takeInteractions();
      await act(page);
      return takeInteractions();
    },

    async keysToPreview(campaignId, keys) {
      await open(`/1/campaigns/${campaignId}/write`);
      const frame = await previewOf(page);
      await page.getByRole('textbox', { name: 'Body of the mail' }).locator('p').first().click();
      const times = [];
      for (let n = 0; n < keys; n++) {
        await frame.evaluate(() => void (/** @type {Notes} */ (globalThis).changes.splice(0)));
        await page.evaluate(() => void (/** @type {Notes} */ (globalThis).presses.splice(0)));
        await page.keyboard.press('x');
        await frame.waitForFunction(() => /** @type {Notes} */ (globalThis).changes.length > 0);
        const changed = await frame.evaluate(() => /** @type {Notes} */ (globalThis).changes[0] ?? Number.NaN);
        const pressed = await page.evaluate(() => /** @type {Notes} */ (globalThis).presses[0] ?? Number.NaN);
        times.push(changed - pressed);
      }
      return times;
    },

    async longList(runs) {
      const firstRows = [];
      for (let run = 0; run < runs; run++) {
        await open('/1/tags');
        firstRows.push(await goTo(page, 'Subscribers', '[role=row][data-place]'));
      }
      await settled(page);
      const heaps = [await heap()];
      const { frames, ms } = await scrollList(page, { pixels: 80, forMs: 5_000 });
      heaps.push(await heap());
      // The list holds 5,000 rows at most: from there on the heap must stay.
      for (let part = 0; part < 4; part++) {
        await scrollList(page, { pixels: 400, forMs: 9_000 });
        heaps.push(await heap());
      }
      const rows = await page.evaluate(() =>
        Math.max(...[...document.querySelectorAll('[aria-rowindex]')].map((row) => Number(row.ariaRowIndex))),
      );
      return { firstRows, framesPerSecond: (frames * 1000) / ms, heaps, rows };
    },

    async workflow(workflowId, runs) {
      const times = async (/** @type {string} */ view) => {
        const all = [];
        for (let run = 0; run < runs; run++) {
          await page.goto(`/1/workflows/${workflowId}/build?view=${view}`);
          all.push(await timeOf(page, 'main [data-step]'));
        }
        return all;
      };
      // The first visit fills the cache of the browser; the layout is computed at each.
      await times('graph');
      const [outline, graph] = [await times('outline'), await times('graph')];
      await page.waitForTimeout(2_000);
      return { graph, outline, frames: await moveGraph(page) };
    },

    async importFile(file, rows) {
      const phases = /** @type {import('../../../../bench/dashboard/measured-browser.js').ImportPhases} */ ({});
      const processes = await processMeter(browser);
      /** Measures until a part of the import has ended; the highest values count. */
      const during = async (/** @type {keyof typeof phases} */ name, /** @type {Promise<unknown>} */ end) => {
        const seen = { heap: await heap(), resident: processes(), seconds: 0 };
        const started = Date.now();
        let isOver = false;
        void end.catch(() => undefined).finally(() => (isOver = true));
        while (!isOver) {
          seen.heap = Math.max(seen.heap, await heap());
          seen.resident = Math.max(seen.resident, processes());
          await new Promise((done) => setTimeout(done, 250));
        }
        await end;
        phases[name] = { ...seen, seconds: (Date.now() - started) / 1000 };
        const { heap: most, resident, seconds } = phases[name];
        process.stderr.write(
          `· ${name}: heap ${most.toFixed(1)} MB, processes ${resident.toFixed(0)} MB, ${seconds.toFixed(0)} s\n`,
        );
      };
      page.setDefaultTimeout(1_800_000);
      await open('/1/subscribers/import');
      // The first seconds of a page are not those of the import.
      await page.waitForTimeout(3_000);
      await during('before', page.waitForTimeout(2_000));
      const asked = page.waitForEvent('filechooser');
      await page.getByLabel('Choose a CSV file').click();
      await (await asked).setFiles(file);
      await during('upload', page.getByLabel('Column email becomes').waitFor());
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      const confirm = page.getByRole('button', { name: `Import ${rows.toLocaleString('en')} subscribers` });
      await during('check', confirm.waitFor());
      await confirm.click();
      await during('import', page.getByRole('heading', { name: 'The import is done' }).waitFor());
      await during('after', page.waitForTimeout(2_000));
      return phases;
    },

    async idleCalls(seconds) {
      // The page repeats calls that the limit refused; an idle page makes none of its own.
      await page.waitForTimeout(limitMs);
      await open('/1');
      await page.waitForLoadState('networkidle').catch(() => undefined);
      const before = calls;
      await page.waitForTimeout(seconds * 1000);
      return calls - before;
    },

    async longUse(minutes) {
      const heaps = [];
      const end = Date.now() + minutes * 60_000;
      await open('/1');
      while (Date.now() < end) {
        for (const name of screens) {
          await goTo(page, name);
          await page.waitForTimeout(pauseMs);
        }
        heaps.push(await heap());
      }
      return heaps;
    },

    async watch(campaignId, isSent) {
      await open(`/1/campaigns/${campaignId}/report`);
      await takeInteractions();
      const started = Date.now();
      const before = calls;
      const interactions = [];
      // The first half only watches, and counts the calls; then a person works beside it.
      while (Date.now() - started < 40_000 && !(await isSent())) await page.waitForTimeout(pauseMs);
      const seconds = (Date.now() - started) / 1000;
      const callsPerMinute = ((calls - before) * 60) / seconds;
      while (!(await isSent())) {
        await actOnReport(page);
        interactions.push(...(await takeInteractions()));
        await page.waitForTimeout(pauseMs);
      }
      return { interactions, callsPerMinute, seconds: (Date.now() - started) / 1000 };
    },

    close: () => browser.close(),
  };
}

/** Runs in every frame, before its page: notes paints, interactions, keys, and changes of the preview. */
function noteTimes() {
  const notes = /** @type {Notes} */ (globalThis);
  notes.noted = [];
  notes.paints = [];
  notes.changes = [];
  notes.presses = [];
  const now = () => performance.timeOrigin + performance.now();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) notes.paints.push(entry.startTime);
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of /** @type {PerformanceEventTiming[]} */ (list.getEntries()))
      if (/** @type {{ interactionId?: number }} */ (entry).interactionId) notes.noted.push(entry.duration);
  }).observe(/** @type {PerformanceObserverInit} */ ({ type: 'event', buffered: true, durationThreshold: 16 }));
  addEventListener('keydown', () => notes.presses.push(now()), true);
  if (location.pathname === '/preview')
    new MutationObserver(() => notes.changes.push(now())).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
    });
}

/** @param {Page} page */
async function settled(page) {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null,
  );
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/**
 * @returns milliseconds from the navigation to the frame in which an element is there
 * @param {Page} page
 * @param {string} selector
 */
async function timeOf(page, selector) {
  return page.evaluate(
    (wanted) =>
      /** @type {Promise<number>} */ (
        new Promise((done) => {
          const look = () =>
            document.querySelector(wanted)
              ? requestAnimationFrame(() => done(performance.now()))
              : requestAnimationFrame(look);
          look();
        })
      ),
    selector,
  );
}

/**
 * @param {import('playwright-core').Browser} browser
 * @returns what gives the megabytes of their own that the processes of the browser hold
 */
async function processMeter(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const ids = processInfo.map(({ id }) => id);
  return () =>
    ids.reduce((sum, id) => {
      try {
        const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
        return sum + Number(kilobytes ?? 0) / 1024;
      } catch {
        return sum;
      }
    }, 0);
}

/** Drags the graph up and down. @returns milliseconds of each frame meanwhile @param {Page} page */
async function moveGraph(page) {
  const box = await page.locator('.react-flow__pane').boundingBox();
  if (!box) throw new Error('There is no graph.');
  const [x, y] = [box.x + 20, box.y + box.height - 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => {
    const { presses } = /** @type {Notes} */ (globalThis);
    presses.splice(0);
    const note = (/** @type {number} */ at) => {
      presses.push(at);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  for (let n = 0; n < 120; n++) await page.mouse.move(x, y - (box.height - 40) * Math.abs(Math.sin(n / 20)));
  const at = await page.evaluate(() => [.../** @type {Notes} */ (globalThis).presses]);
  await page.mouse.up();
  return at.slice(1).map((one, place) => one - (at[place] ?? one));
}

/** @param {Page} page */
async function previewOf(page) {
  const element = await page.locator('iframe').first().elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('The page has no preview.');
  await frame.waitForFunction(() => (document.body?.innerText.length ?? 0) > 100);
  return frame;
}

/**
 * Clicks a link of the navigation. @returns milliseconds until the next screen is painted
 * @param {Page} page
 * @param {string} name
 * @param {string} [shows] what must be there; by default the heading alone
 */
async function goTo(page, name, shows = 'h1') {
  const link = page.getByRole('navigation').getByRole('link', { name, exact: true }).first();
  await link.hover();
  const ms = await link.evaluate(
    (element, { shows }) =>
      new Promise((done) => {
        const path = new URL(/** @type {HTMLAnchorElement} */ (element).href).pathname;
        const former = document.querySelector('h1')?.textContent;
        const started = performance.now();
        const isThere = () => {
          const heading = document.querySelector('h1')?.textContent;
          return location.pathname === path && heading && heading !== former && document.querySelector(shows);
        };
        const look = () =>
          isThere() ? requestAnimationFrame(() => done(performance.now() - started)) : requestAnimationFrame(look);
        /** @type {HTMLElement} */ (element).click();
        look();
      }),
    { shows },
  );
  await settled(page);
  return /** @type {number} */ (ms);
}

/** What a person does in the list of subscribers. @param {Page} page */
async function act(page) {
  const { keyboard } = page;
  for (let n = 0; n < 20; n++) await keyboard.press('j');
  for (const key of ['x', 'k', 'x', 'Escape']) await keyboard.press(key);
  await keyboard.press('/');
  await keyboard.type('person99', { delay: 60 });
  await settled(page);
  await page.getByRole('searchbox').fill('');
  await settled(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: 'Filters' }).click();
  for (const tab of await page.getByRole('main').locator('button[aria-pressed]').all()) {
    await tab.click();
    await settled(page);
  }
  await keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await keyboard.type('create tag', { delay: 60 });
  for (let n = 0; n < 5; n++) await keyboard.press('ArrowDown');
  await keyboard.press('Escape');
  await settled(page);
}

/** What a person does beside a campaign that is being sent. @param {Page} page */
async function actOnReport(page) {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.keyboard.type('create tag', { delay: 60 });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  for (const tab of await page.getByRole('main').locator('button[aria-pressed]').all())
    if (await tab.isVisible()) await tab.click();
}

/**
 * Scrolls the list. @returns frames and milliseconds it took
 * @param {Page} page
 * @param {{ pixels: number, forMs: number }} how pixels: a frame
 */
async function scrollList(page, how) {
  return page.evaluate(
    ({ pixels, forMs }) =>
      /** @type {Promise<{ frames: number, ms: number }>} */ (
        new Promise((done) => {
          const list = document.querySelector('[role=table]');
          let scroller = list?.parentElement ?? null;
          while (scroller && scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement;
          const target = scroller ?? document.scrollingElement;
          const started = performance.now();
          let frames = 0;
          const step = () => {
            frames++;
            target?.scrollBy(0, pixels);
            const ms = performance.now() - started;
            if (ms < forMs) requestAnimationFrame(step);
            else done({ frames, ms });
          };
          requestAnimationFrame(step);
        })
      ),
    how,
  );
}
