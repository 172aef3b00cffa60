#!/usr/bin/env node
/**
 * Photographs the way from `npm start` to the first campaign in the mailbox, for docs/guides/first-campaign.md, and then that to
 * the first automation, for docs/guides/first-automation.md, on a fresh installation of its own: `npm run filmstrip:dashboard`.
 * Needs a Chromium: its path in CHROMIUM, or one of the usual names on the PATH.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { demandChromium } from './find-chromium.mjs';
import { freePort } from './launch/daemon.mjs';
import { ROOT } from './launch/paths.mjs';
import { eventually } from './launch/process-record.mjs';

const images = path.join(ROOT, 'docs/images');
const strips = ['first-campaign', 'first-automation'];
const bytesMax = 1_500_000;
const startMs = 600_000;
const owner = { name: 'Ada Lovelace', email: 'ada@garden.internal', password: 'peas radishes spinach' };
const people = [
  { email: 'lin@post.internal', name: 'Lin Chen' },
  { email: 'noor@post.internal', name: 'Noor Haddad' },
  { email: 'grace@post.internal', name: 'Grace Hopper' },
];

/**
 * Starts the installation as a person does.
 * @param {string} dataDir empty
 * @returns its setup link, and the way to end it
 */
async function startInstallation(dataDir) {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts/launch.mjs'), 'start'], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_FORMAT: 'pretty' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const link = () => /http:\/\/\S+\/setup#[\w-]+/.exec(said)?.[0];
  await eventually(
    () => (said.includes('Tidings is ready') && link() !== undefined) || child.exitCode !== null,
    startMs,
  );
  const setupLink = link();
  if (!setupLink) throw new Error(`The installation printed no setup link:\n${said}`);
  return {
    setupLink,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} strip the folder of its pictures
 */
function makeCamera(page, strip) {
  let count = 0;
  /** @param {string} name */
  return async (name) => {
    await page.waitForLoadState('networkidle').catch(() => undefined);
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const file = `${String(++count).padStart(2, '0')}-${name}.webp`;
    writeFileSync(path.join(images, strip, file), await sharp(png).webp({ quality: 82, effort: 6 }).toBuffer());
  };
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} setupLink
 */
async function film(page, setupLink) {
  const { origin } = new URL(setupLink);
  const photograph = makeCamera(page, 'first-campaign');
  const button = (/** @type {string | RegExp} */ name) => page.getByRole('button', { name });
  const link = (/** @type {string} */ name) => page.getByRole('link', { name, exact: true });

  await page.goto(setupLink);
  await page.getByLabel('Your name').fill(owner.name);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await photograph('setup');
  await button('Create account').click();
  await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
  await page.getByText('Enter your postal address').waitFor();
  await photograph('home');

  await link('Enter your postal address').click();
  await page.getByLabel('Name', { exact: true }).fill('Garden Shop');
  await page.getByLabel('Postal address').fill('12 Mill Lane\nBath BA1 1AA');
  await photograph('address');
  await button('Save').click();
  await page.getByText(/saved/iu).first().waitFor();

  await page.goto(`${origin}/1/subscribers`);
  for (const { email, name } of people) {
    await button('Add').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByLabel('Name').fill(name);
    if (email === people[0]?.email) await photograph('add-subscriber');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.goto(`${origin}/1/subscribers`);
  }
  await link(String(people[0]?.email)).waitFor();
  await photograph('subscribers');

  await page.goto(`${origin}/1/campaigns`);
  await button('New campaign').first().click();
  await page.getByLabel('Subject', { exact: true }).fill('Spring is here, {{firstName | "gardener"}}');
  await page.getByLabel('Preview text').fill('Peas, radishes and the first spinach');
  await page.getByLabel('Name', { exact: true }).fill('Spring letter');
  const body = page.getByRole('textbox', { name: 'Body of the mail' });
  await body.getByText('Write your message here.').click({ clickCount: 3 });
  await page.keyboard.type('Three things to sow this week');
  await button('H1 (large heading)').click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('The soil is warm enough for peas, radishes and spinach. All three are in the shop.');
  await page.frameLocator('iframe').getByText('All three are in the shop.').waitFor();
  await page
    .getByText(/^Saved /u)
    .first()
    .waitFor();
  await photograph('write');
  await button('375 px').click();
  await button('Dark').click();
  await photograph('preview-phone-dark');

  await link('Audience').click();
  await page.getByText('subscribers get it').waitFor();
  await photograph('audience');
  await link('Review').click();
  await button('Send test').click();
  await page.getByText('On its way to').waitFor();
  await photograph('review');
  await button('Send now').click();
  await button('Send to 3').click();
  await page.getByText(/^Sending starts in/u).waitFor();
  await photograph('undo');
  await button(/^Delivered 3/u).waitFor();
  await page.getByText('0 of 3').first().waitFor();
  await photograph('report');

  await page.goto(`${origin}/mailbox`);
  await page.getByText('Spring is here, Lin').first().waitFor();
  await photograph('mailbox');
  await page.getByText('Spring is here, Lin').first().click();
  await page.waitForLoadState('networkidle');
  await photograph('mail');
}

/**
 * Builds an automation from nothing, publishes it and watches it; the subscribers are those of the first strip.
 * @param {import('playwright-core').Page} page
 * @param {string} origin
 */
async function filmAutomation(page, origin) {
  const photograph = makeCamera(page, 'first-automation');
  const button = (/** @type {string | RegExp} */ name) => page.getByRole('button', { name });
  const link = (/** @type {string} */ name) => page.getByRole('link', { name, exact: true });
  const dialog = page.getByRole('dialog');
  const add = async (/** @type {RegExp} */ type) => {
    await button('Add step').last().click();
    await dialog.getByRole('button', { name: type }).click();
  };
  const saved = () =>
    page
      .getByText(/^Saved \d/u)
      .first()
      .waitFor();

  const write = async (/** @type {string} */ text) => {
    const body = page.getByRole('textbox', { name: 'Body of the mail' });
    await body.getByText('Write your message here.').click({ clickCount: 3 });
    await page.keyboard.type(text);
  };

  await page.goto(`${origin}/1/workflows`);
  await button('New workflow').first().click();
  await dialog.getByLabel('Name').fill('Welcome, gardeners');
  await photograph('new');
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await page.getByText('What starts it?').waitFor();
  await button('Add trigger').last().click();
  await dialog.getByRole('button', { name: /^Trigger/u }).click();
  await page.getByText('They subscribe').first().waitFor();
  await photograph('trigger');

  await button('Add step').last().click();
  await dialog.getByRole('button', { name: /^Mail/u }).waitFor();
  await photograph('add-step');
  await dialog.getByRole('button', { name: /^Mail/u }).click();
  await button('Write the mail').click();
  await page.getByLabel('Subject', { exact: true }).fill('Welcome, {{firstName | "gardener"}}');
  await page.getByLabel('Preview text').fill('What to sow first');
  await write('It is good to have you here. Peas are the easiest start: sow them this week.');
  await page.frameLocator('iframe').getByText('sow them this week.').waitFor();
  await saved();
  await photograph('mail');
  await button('Back to the step').click();

  await add(/^Wait(?! until)/u);
  await page.getByLabel('How long').fill('3');
  await add(/^Mail/u);
  await button('Write the mail').click();
  await page.getByLabel('Subject', { exact: true }).fill('Three things to try first');
  await write('Beans, lettuce and radishes forgive everything.');
  await saved();
  await button('Back to the step').click();
  await page.getByText('Nothing stands against publishing.').waitFor();
  await photograph('graph');

  await link('Settings').last().click();
  await button('Add goal').click();
  await page.getByLabel('Name', { exact: false }).fill('Clicked a link');
  await button('Save').click();
  await page.getByText('The settings are saved in the draft.').first().waitFor();
  await photograph('settings');

  await link('Simulate').click();
  await button('Simulate').click();
  await page.getByText('Would have entered', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Examples' }).waitFor();
  await photograph('simulate');

  await link('Build').click();
  await button('Publish').click();
  await dialog.getByRole('button', { name: 'Publish version 1' }).waitFor();
  await photograph('publish');
  await dialog.getByRole('button', { name: 'Publish version 1' }).click();
  await page.getByText('Version 1 is published.').first().waitFor();

  await link('Runs').click();
  await button('Add subscribers').click();
  await button('Check').click();
  await button('Add 3 subscribers').waitFor();
  await photograph('add-subscribers');
  await button('Add 3 subscribers').click();
  await page
    .getByText(/3 waiting/u)
    .first()
    .waitFor();
  await photograph('runs');
  await button(String(people[0]?.email)).click();
  await page.getByRole('dialog').waitFor();
  await photograph('history');
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'tidings-filmstrip-'));
const installation = await startInstallation(dataDir);
const browser = await chromium.launch({ executablePath: demandChromium(), args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const strip of strips) {
    rmSync(path.join(images, strip), { recursive: true, force: true });
    mkdirSync(path.join(images, strip), { recursive: true });
  }
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  try {
    await film(page, installation.setupLink);
    await filmAutomation(page, new URL(installation.setupLink).origin);
  } catch (error) {
    await page.screenshot({ path: path.join(ROOT, '.artefacts/filmstrip-failure.png') });
    throw error;
  }
  for (const strip of strips) {
    const folder = path.join(images, strip);
    const files = readdirSync(folder);
    const bytes = files.reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
    process.stdout.write(`${files.length} pictures, ${Math.ceil(bytes / 1000)} kB in ${path.relative(ROOT, folder)}\n`);
    if (bytes > bytesMax) throw new Error(`The pictures are together larger than ${bytesMax / 1000} kB.`);
  }
} finally {
  await browser.close();
  await installation.stop();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
