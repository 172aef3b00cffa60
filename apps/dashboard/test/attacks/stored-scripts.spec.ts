import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createRootRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import type { Frame, Locator, Request } from 'playwright-core';
import { SmtpSink, until } from '#testing';
import { accountRoutes, installationRoutes, signedOutRoutes } from '../../src/app/outside.routes.js';
import { screens } from '../../src/app/screens.js';
import { screenAddress, screenPaths } from '../../src/parts/screen-paths.js';
import { describeInBrowser } from '../harness.js';
import type { Visit } from '../harness.js';
import { evaluated, imageHost, marker, plant, traceOf } from './hostile-records.js';
import type { Planted } from './hostile-records.js';

/** Fields that no page shows yet. A page that shows one of them takes it from here. */
const notShown: string[] = [];

let sink: SmtpSink;
const environment = async () => {
  sink = await SmtpSink.start();
  return { SMTP_URL: sink.url };
};

/** What opens more of a page, and changes no record. Tabs come last: they take rows away. */
const openers = [
  'main [role=row] [role=cell] button:not([popovertarget])',
  'main details:not([open]) > summary',
  'main button[aria-expanded=false]',
  'main :not([role=toolbar]) > button[aria-pressed=false]',
];
/** Of each kind. */
const openersMax = 8;

/** Addresses of one screen: one for each record that it can show. */
const addressesOf = (name: keyof typeof screenPaths, records: Planted['records']): string[] => {
  const [, param] = /\$(\w+)/.exec(screenPaths[name]) ?? [];
  if (param === undefined) return [screenAddress(1, name)];
  if (!records[param]) throw new Error(`${name} needs a hostile record for ${param}: hostile-records.ts`);
  return records[param].flatMap((id) => {
    const address = screenAddress(1, name, { [param]: id });
    return [address, ...(searches[name] ?? []).map((search) => address + search)];
  });
};

/** Further states of a screen, by what stands in its address. */
const searches: Partial<Record<keyof typeof screenPaths, readonly string[]>> = {
  workflowBuild: ['?view=outline&step=mail&mail=true'],
};

/** Addresses of routes and of those below them. */
const pathsOf = (routes: readonly AnyRoute[]): string[] =>
  routes.flatMap(({ options, children }) => {
    const { path } = options as { path?: string };
    return [...(path === undefined ? [] : [path]), ...pathsOf((children as AnyRoute[] | undefined) ?? [])];
  });

describeInBrowser({ name: 'stored scripts', environment }, (fixture) => {
  let planted: Planted;
  let visit: Visit;
  /** What ran or reached another host, with its address. */
  const caught: string[] = [];
  const images = new Set<string>();
  const seen = new Map<string, number>();
  let total = 0;
  let refused = 0;
  let at = '';
  /** Calls of the page that are not answered yet. */
  const underWay = new Set<Request>();

  beforeAll(async () => {
    await fixture().setUp();
    planted = await plant(fixture(), sink);
    visit = await fixture().signedIn();
    await watch(visit);
  }, 240_000);

  afterAll(() => sink.stop());

  const note = (what: string) => void caught.push(`${at}: ${what}`);

  /** Notes everything that a marker may do, in all frames. */
  const watch = async ({ page }: Visit) => {
    await page.exposeBinding('planted', (_source, field) => note(`ran: ${String(field)}`));
    await page.exposeBinding('violated', ({ frame }, what) => {
      // The policy of the preview is what stops mail that is sent unchanged: it reports each refusal.
      if (isUnchangedMail(frame)) refused++;
      else note(`violation: ${String(what)}`);
    });
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
        (globalThis as unknown as { violated: (text: string) => void }).violated(
          `${effectiveDirective} ${blockedURI} ${sample}`,
        ),
      );
    });
    page.on('request', (request) => {
      if (/\/api\/(?!events)/.test(request.url())) underWay.add(request);
    });
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    page.on('dialog', (dialog) => {
      note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', () => note('a window opened'));
    await page.route(
      (url) => url.origin !== new URL(fixture().url).origin,
      (route) => {
        const isAllowed = isImageOfMail(route.request());
        if (isAllowed) images.add(route.request().url());
        else note(`request elsewhere: ${route.request().url()}`);
        return route.abort();
      },
    );
  };

  /** An image that a mail names, in a preview or in the editor. */
  const isImageOfMail = (request: Request): boolean =>
    request.resourceType() === 'image' &&
    request.url().startsWith(`${imageHost}/`) &&
    (isPreview(request.frame()) || /\/campaigns\/[^/]+\/write$/.test(new URL(request.frame().url()).pathname));

  /** The preview of send_email, whose HTML the renderer does not make. */
  const isUnchangedMail = (frame: Frame): boolean =>
    isPreview(frame) && (['approvals', 'messages'] as const).some((name) => at.startsWith(screenAddress(1, name)));

  const isPreview = (frame: Frame) => new URL(frame.url(), fixture().url).pathname === '/preview';

  const inspect = async () => {
    await visit.painted();
    await until('the answers of the calls', () => underWay.size === 0);
    await visit.painted();
    await visit.settled();
    for (const frame of visit.page.frames()) {
      const { elements, text, links } = await frame.evaluate(() => ({
        elements: document.querySelectorAll('[data-planted]').length,
        links: document.querySelectorAll('[href^="javascript:" i], [src^="javascript:" i], [formaction]').length,
        text: [
          document.title,
          document.body.innerText,
          ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
          ...[...document.querySelectorAll('[title], [aria-label], option')].map(
            (one) => `${one.getAttribute('title')} ${one.getAttribute('aria-label')} ${one.textContent}`,
          ),
        ].join('\n'),
      }));
      if (elements > 0 && !isUnchangedMail(frame)) note(`${elements} elements of markers in ${frame.url()}`);
      if (links > 0) note(`${links} addresses that would run in ${frame.url()}`);
      if (text.includes(evaluated)) note(`an expression was evaluated in ${frame.url()}`);
      for (const field of planted.fields)
        if (text.includes(traceOf(field))) seen.set(field, (seen.get(field) ?? 0) + 1);
    }
  };

  const walk = async (address: string) => {
    at = address;
    if (visit.page.url().startsWith(fixture().url)) await visit.go(address);
    else await visit.open(address);
    await inspect();
    for (const kind of openers) {
      const opener = visit.page.locator(kind);
      const count = Math.min(await opener.count(), openersMax);
      for (let n = 0; n < count; n++) await openAndInspect(opener.nth(n));
    }
  };

  const openAndInspect = async (opener: Locator) => {
    if (!(await opener.isVisible()) || !(await opener.isEnabled())) return;
    await opener.click();
    await inspect();
    await visit.page.keyboard.press('Escape');
  };

  /** Each test answers for its own addresses. */
  const expectNothing = () => {
    const found = caught.splice(0);
    total += found.length;
    expect(found).toEqual([]);
  };

  it('notices what runs, opens, violates or reaches another host', async () => {
    at = 'the check of the check';
    await visit.open('/1/tags');
    await visit.page.evaluate((text) => {
      const { planted } = globalThis as unknown as { planted: (field: string) => void };
      planted('check');
      alert('check');
      const image = document.createElement('img');
      image.dataset.planted = '';
      image.src = 'https://elsewhere.example/check.png';
      document.body.append(image);
      try {
        image.outerHTML = text;
      } catch {
        // Refused by the policy, which reports it.
      }
    }, marker('check'));
    await inspect();
    await until('the report of the violation', () => caught.some((line) => line.includes('violation: ')));
    for (const kind of ['ran: check', 'dialog: check', 'violation: ', 'request elsewhere: ', 'elements of markers'])
      expect(caught.some((line) => line.includes(kind))).toBe(true);
    // The page that it changed is loaded again.
    await visit.page.goto('about:blank');
    caught.length = 0;
    visit.problems.length = 0;
  });

  for (const { name } of screens) {
    it(`run nothing on ${name}`, async () => {
      for (const address of addressesOf(name, planted.records)) await walk(address);
      expectNothing();
    });
  }

  const root = createRootRoute();
  const guard = () => undefined;
  for (const path of pathsOf([...accountRoutes(root, guard), ...installationRoutes(root, guard)])) {
    it(`run nothing on ${path}`, async () => {
      await walk(path);
      expectNothing();
    });
  }

  it('run nothing in the palette', async () => {
    at = 'the palette';
    await visit.open('/1/subscribers');
    for (const text of ['planted', 'reached@', 'segment']) {
      await visit.press('Control+k');
      await visit.page.keyboard.type(text);
      await visit.page.getByRole('dialog').getByRole('option').first().waitFor();
      await inspect();
      await visit.press('Escape');
    }
    expectNothing();
  });

  for (const path of pathsOf(signedOutRoutes(root))) {
    it(`run nothing on ${path}, signed out`, async () => {
      const unauthenticatedVisit = await fixture().visit();
      await watch(unauthenticatedVisit);
      const own = visit;
      visit = unauthenticatedVisit;
      try {
        await walk(`${path}#${encodeURIComponent(marker('fragment'))}`);
        await walk(`${path}?next=${encodeURIComponent("javascript:planted('next')")}`);
      } finally {
        visit = own;
      }
      expectNothing();
      await unauthenticatedVisit.close();
    });
  }

  it('stand on the pages as text, with images of mails alone from elsewhere', async () => {
    const shown = planted.fields.filter((field) => seen.has(field));
    const addresses = screens.flatMap(({ name }) => addressesOf(name, planted.records)).length;
    process.stdout.write(
      `stored scripts: ${planted.fields.length} fields × ${addresses} addresses of ${screens.length} screens; ` +
        `${shown.length} fields shown, ${[...seen.values()].reduce((sum, count) => sum + count, 0)} times; ` +
        `${images.size} images of mails; the preview refused ${refused} times; ${total} caught\n`,
    );
    expect(planted.fields.filter((field) => !seen.has(field)).sort()).toEqual([...notShown].sort());
    expect(images.size).toBeGreaterThan(0);
    await visit.page.close();
  });
});
