// Takes a picture of every whole golden mail as a reader sees it: at phone and desktop width, and in dark mode. They land
// in .artefacts/mails, for people to look at before a change of the renderer is committed. Needs a Chromium: its path in
// CHROMIUM, or one of the usual names on the PATH.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const golden = 'libs/content/test/golden';
const artefacts = '.artefacts/mails';
const views = [
  { name: 'phone', width: 375, mobile: true, scheme: 'light' },
  { name: 'desktop', width: 1024, mobile: false, scheme: 'light' },
  { name: 'dark', width: 375, mobile: true, scheme: 'dark' },
];
/** Replaces every image of the mails, whose addresses lead nowhere. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><rect width="600" height="300" fill="#7fb069"/><circle cx="460" cy="90" r="46" fill="#ffe066"/><path d="M0 300 220 120 380 250 470 180 600 300z" fill="#36622b"/></svg>`;

/**
 * @typedef {Record<string, any>} Params what the protocol carries
 * @typedef {{ id?: number, method?: string, params: Params, result?: Params, error?: Error }} Message
 * @typedef {{ resolve: (result: Params) => void, reject: (error: Error) => void }} Waiting
 * @typedef {(method: string, params?: Params) => Promise<Params>} Page asks one page
 */

/** One Chromium, driven over the pipe of its debugging protocol. */
class Browser {
  #nextId = 1;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {Set<(message: Message) => void>} */
  #listeners = new Set();
  #text = '';

  /** @param {import('node:child_process').ChildProcess} child */
  constructor(child) {
    this.child = child;
    const answers = /** @type {import('node:stream').Readable} */ (child.stdio[4]);
    answers.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => this.#read(chunk));
    child.once('exit', (code) => this.#fail(new Error(`Chromium ended with ${code}`)));
  }

  /** @param {string} profile a folder of its own */
  static async start(profile) {
    const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ['chromium', 'chromium-browser', 'google-chrome'];
    for (const name of names) {
      const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe'];
      const child = spawn(name, [...flags, `--user-data-dir=${profile}`], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      });
      const started = await new Promise((resolve) => {
        child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
      });
      if (started) return new Browser(child);
    }
    throw new Error(`None of ${names.join(', ')} can be started: install Chromium, or name one in CHROMIUM.`);
  }

  /** @param {string} chunk */
  #read(chunk) {
    const parts = (this.#text + chunk).split('\0');
    this.#text = parts.pop() ?? '';
    for (const part of parts) {
      const message = /** @type {Message} */ (JSON.parse(part));
      const waiting = this.#waiting.get(message.id ?? 0);
      this.#waiting.delete(message.id ?? 0);
      if (waiting && message.error) waiting.reject(new Error(message.error.message));
      else if (waiting) waiting.resolve(message.result ?? {});
      else for (const listener of this.#listeners) listener(message);
    }
  }

  /** @param {Error} error */
  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /**
   * @param {string} method
   * @param {Params} [params]
   * @param {string} [sessionId]
   * @returns {Promise<Params>}
   */
  send(method, params = {}, sessionId = undefined) {
    const id = this.#nextId++;
    const questions = /** @type {import('node:stream').Writable} */ (this.child.stdio[3]);
    questions.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /**
   * @param {string} method
   * @param {(params: Params) => unknown} listener
   */
  on(method, listener) {
    this.#listeners.add((message) => message.method === method && void listener(message.params));
  }

  /** @param {string} method */
  once(method) {
    return new Promise((resolve) => {
      const listener = (/** @type {Message} */ message) => {
        if (message.method !== method) return;
        this.#listeners.delete(listener);
        resolve(message.params);
      };
      this.#listeners.add(listener);
    });
  }
}

/**
 * @param {Browser} browser
 * @returns {Promise<Page>}
 */
async function openPage(browser) {
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  /** @type {Page} */
  const page = (method, params) => browser.send(method, params, sessionId);
  await page('Page.enable');
  await page('Fetch.enable', { patterns: [{ urlPattern: 'http*' }] });
  browser.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [{ name: 'content-type', value: 'image/svg+xml' }];
    const body = Buffer.from(picture).toString('base64');
    return page('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
  });
  return page;
}

/**
 * @param {Browser} browser
 * @param {Page} page
 * @param {{ url: string, width: number, mobile: boolean, scheme: string }} view
 */
async function photograph(browser, page, { url, width, mobile, scheme }) {
  const show = (/** @type {number} */ height) =>
    page('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
  await show(1);
  await page('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  const loaded = browser.once('Page.loadEventFired');
  await page('Page.navigate', { url });
  await loaded;
  const { cssContentSize } = await page('Page.getLayoutMetrics');
  if (cssContentSize.width > width) throw new Error(`${url} is ${cssContentSize.width} px wide at ${width} px`);
  await show(Math.ceil(cssContentSize.height));
  const { data } = await page('Page.captureScreenshot');
  return Buffer.from(data, 'base64');
}

/** A reader sees no rules of a browser's own around a mail. */
const asRead = (/** @type {string} */ html) =>
  html.includes('name="viewport"') ? html : `<meta name="viewport" content="width=device-width">${html}`;

const names = readdirSync(golden).filter((file) => /^mail-.*\.html$/.test(file));
const profile = mkdtempSync(join(tmpdir(), 'tidings-screenshots-'));
mkdirSync(artefacts, { recursive: true });
const browser = await Browser.start(profile);
try {
  const page = await openPage(browser);
  for (const name of names) {
    const file = join(profile, name);
    writeFileSync(file, asRead(readFileSync(join(golden, name), 'utf8')));
    for (const view of views) {
      const image = await photograph(browser, page, { ...view, url: pathToFileURL(file).href });
      writeFileSync(join(artefacts, name.replace('.html', `.${view.name}.png`)), image);
    }
  }
  process.stdout.write(`${names.length} mails, ${names.length * views.length} pictures in ${artefacts}\n`);
} finally {
  const ended = new Promise((resolve) => browser.child.once('exit', resolve));
  await browser.send('Browser.close').catch(() => browser.child.kill());
  await ended;
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
