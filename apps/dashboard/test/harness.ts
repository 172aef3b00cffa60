import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { TestSystem } from '#testing';
import { startSystem } from '../../../test/e2e/start-system.js';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { hasChromium } from './chromium.js';

const owner = { name: 'Ada Lovelace', email: 'ada@example.org', password: 'correct horse battery' };
const views = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 720 } } as const;

export type View = keyof typeof views;
export type Scheme = 'light' | 'dark';

/** An account by which a person signs in. */
export interface Account {
  email: string;
  password: string;
}

interface VisitOptions {
  view?: View;
  scheme?: Scheme;
  /** The name by which the browser calls this machine; passkeys need `localhost`, not an address. */
  host?: string;
}

interface SignedInOptions extends VisitOptions {
  person?: Account;
}

let chromiumOfRun: Promise<Browser> | undefined;

/** One for all specs that are loaded together: each visit has a context of its own. */
const openBrowser = (): Promise<Browser> =>
  (chromiumOfRun ??= chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox', '--disable-gpu'] }));

afterAll(async () => (await chromiumOfRun)?.close());

/** The real system and a browser in front of it. */
export class DashboardFixture {
  private constructor(
    readonly system: TestSystem,
    private readonly browser: Browser,
  ) {}

  static async open(environment: Record<string, string>, inOneProcess: boolean): Promise<DashboardFixture> {
    const [system, browser] = await Promise.all([startSystem(environment, { inOneProcess }), openBrowser()]);
    return new DashboardFixture(system, browser);
  }

  async close(): Promise<void> {
    await this.system.stop();
  }

  get url(): string {
    return this.system.url();
  }

  /** The token of the setup link; it works once. */
  get setupToken(): string {
    return this.system.processes.find(({ name }) => name === 'domain')!.facts.setupToken as string;
  }

  /** Makes the owner of the first organization, over HTTP. */
  async setUp(): Promise<void> {
    const response = await fetch(`${this.url}/api/session/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: this.setupToken, ...owner }),
    });
    if (!response.ok) throw new Error(`setup: ${response.status} ${await response.text()}`);
  }

  /** Calls a tool with the organization's first token. @returns its data */
  async call<D = Record<string, unknown>>(tool: string, input: object = {}): Promise<D> {
    const response = await fetch(`${this.url}/api/v2/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.system.apiToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as { data: D };
    if (!response.ok) throw new Error(`${tool}: ${response.status} ${JSON.stringify(body)}`);
    return body.data;
  }

  /** A browser of its own, without a session. */
  async visit({ view = 'desktop', scheme = 'light', host }: VisitOptions = {}): Promise<Visit> {
    const url = new URL(this.url);
    if (host !== undefined) url.hostname = host;
    const context = await this.browser.newContext({
      viewport: views[view],
      colorScheme: scheme,
      baseURL: url.origin,
      hasTouch: view === 'phone',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
    });
    return Visit.open(context, url.origin);
  }

  /** A browser in which a person is signed in, by default the owner. */
  async signedIn({ person = owner, ...options }: SignedInOptions = {}): Promise<Visit> {
    const visit = await this.visit(options);
    const response = await visit.page.request.post('/api/session', {
      data: { email: person.email, password: person.password },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
    return visit;
  }
}

/** One person at one browser: counts clicks and keys, and notes everything that must not happen. */
export class Visit {
  clicks = 0;
  readonly pressed: string[] = [];
  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    /** Script errors, violations of the policy, requests to other hosts. */
    readonly problems: string[],
  ) {}

  static async open(context: BrowserContext, url: string, problems: string[] = []): Promise<Visit> {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const visit = new Visit(context, page, problems);
    page.on('pageerror', (error) => visit.problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // The browser itself reports refused calls, which tests make on purpose.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        visit.problems.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin)
        visit.problems.push(`request elsewhere: ${request.url()}`);
    });
    return visit;
  }

  /** Opens an address in another tab of this browser, which ends with it. */
  async another(address: string): Promise<Visit> {
    const visit = await Visit.open(this.context, this.page.url(), this.problems);
    await visit.open(address);
    await visit.settled();
    return visit;
  }

  /** From now on, a use of the pointer is a problem. */
  async refusePointer(): Promise<void> {
    await this.page.addInitScript(() => {
      addEventListener('pointerdown', () => console.error('The pointer was used.'), { capture: true });
    });
  }

  /** Opens an address, and waits for the heading of its screen: keys work from then on. */
  async open(address: string): Promise<void> {
    await this.page.goto(address);
    await this.page.locator('h1').first().waitFor();
  }

  /** Goes to another address without loading the page again, as a link inside the dashboard does. */
  async go(address: string): Promise<void> {
    await this.page.evaluate(async (href) => {
      const { __TSR_ROUTER__: router } = globalThis as unknown as {
        __TSR_ROUTER__: { navigate: (to: { href: string }) => Promise<void> };
      };
      await router.navigate({ href });
    }, address);
    await this.painted();
    await this.page.locator('h1').first().waitFor();
  }

  /** Waits until the page shows what it has. */
  async painted(): Promise<void> {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  /** Types into a field; typing is not counted. */
  async type(target: Locator, text: string): Promise<void> {
    await target.fill(text);
  }

  /** Presses keys one after the other, such as `g s`. */
  async press(keys: string): Promise<void> {
    for (const key of keys.split(' ')) {
      this.pressed.push(key);
      await this.page.keyboard.press(key);
    }
  }

  /** Types with the keyboard where the focus is; typing is not counted. */
  async write(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Presses Tab until the focus is on a control. @throws Error when it is not within reach */
  async tabTo(target: Locator, tabsMax = 60): Promise<void> {
    await target.first().waitFor();
    const hasFocus = () => target.first().evaluate((one) => one === document.activeElement);
    for (let tabs = 0; tabs < tabsMax; tabs++) {
      // A dialog that closes may take the focus once more, to where it was before.
      if (await hasFocus()) await this.painted();
      if (await hasFocus()) return;
      await this.press('Tab');
    }
    throw new Error(`The focus does not reach ${String(target)} by ${tabsMax} presses of Tab.`);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }

  field(name: string | RegExp): Locator {
    return this.page.getByLabel(name);
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name });
  }

  /** Waits until the screen has read what it shows. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(
      () =>
        document.querySelector('h1') !== null && document.querySelector('[aria-busy=true], [data-skeleton]') === null,
    );
    await this.page.evaluate(() => document.fonts.ready.then(() => undefined));
  }

  /** The faults that axe finds, as one line each. */
  async axe(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in globalThis))) {
      await this.page.evaluate(axe.source);
      // A colour on its way to another is none of the theme.
      await this.page.evaluate(() => {
        const still = new CSSStyleSheet();
        still.replaceSync('* { transition: none !important; }');
        document.adoptedStyleSheets.push(still);
      });
    }
    return await this.page.evaluate(async () => {
      const run = (globalThis as unknown as { axe: typeof axe }).axe;
      const { violations } = await run.run(document, { resultTypes: ['violations'] });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary?.split('\n')[1] ?? ''}`,
        ),
      );
    });
  }

  /** Whether the page is wider than the window. */
  async scrollsSideways(): Promise<boolean> {
    return await this.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  }

  /** Ends the visit, and fails if anything happened that must not. */
  async close(): Promise<void> {
    await this.context.close();
    expect(this.problems).toEqual([]);
  }
}

/** Milliseconds within which a system and a browser start on a busy machine. */
const openingMs = 240_000;

/**
 * Tests in a browser, on one system for the whole file. Without a Chromium they are skipped with a warning, and fail in
 * `.ci/run`.
 * @param name of the block; `environment` makes further settings of the system before it starts; `inOneProcess`: false for
 *   tests that end services
 * @param tests gets the fixture once it is open
 */
export function describeInBrowser(
  name: string | { name: string; environment?: () => Promise<Record<string, string>>; inOneProcess?: boolean },
  tests: (fixture: () => DashboardFixture) => void,
): void {
  const block = {
    environment: () => Promise.resolve({}),
    inOneProcess: true,
    ...(typeof name === 'string' ? { name } : name),
  };
  // Skipped only where hasChromium() has warned of it.
  const run = hasChromium() ? describe : describe.skip;
  run(block.name, () => {
    let fixture: DashboardFixture | undefined;
    beforeAll(async () => {
      fixture = await DashboardFixture.open(await block.environment(), block.inOneProcess);
    }, openingMs);
    afterAll(() => fixture?.close());
    tests(() => fixture!);
  });
}

export const ownerPerson = owner;
