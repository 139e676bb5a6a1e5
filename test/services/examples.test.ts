import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { createServerClient } from '../../src/client/server.ts';
import { newWindow, startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { installExamples } from '../support/examples.ts';
import { freePort } from '../support/free-port.ts';
import { startTestServer } from '../support/server.ts';

const place = { organizationId: 'demo', documentId: 'welcome' };
/** `EXAMPLE_IMAGES=docs/images` writes the pictures of the guides anew. */
const IMAGES = process.env.EXAMPLE_IMAGES;
const environment = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const server = await startTestServer(environment, { withoutDemo: false });
const app = createServerClient(server.quickstart);
const users = [{ userId: 'vera', name: 'Vera', accessRole: 'viewer' as const }];
await app.users.add({ organizationId: 'demo', users });
const examples = await installExamples(server);
const browser = await startChromium();

/** The errors of the pages of a test. */
const problems: string[] = [];
afterEach(() => {
  expect(problems.splice(0)).toEqual([]);
});

async function openAs(userId: string, url: string): Promise<Page> {
  const page = await newWindow(browser);
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  await page.setViewportSize({ width: 900, height: 560 });
  await page.goto(new URL(`/?user=${userId}`, url).href);
  return page;
}

/** Waits until an editor has learnt of a new selection, by an event that comes before the next frame. */
const nextFrames = (page: Page) =>
  page.evaluate(
    () => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))),
  );

async function goToEnd(page: Page, content: string): Promise<void> {
  await page.locator(content).first().click();
  await page.keyboard.press('Control+End');
  await nextFrames(page);
}

async function selectLastLine(page: Page, content: string): Promise<void> {
  await goToEnd(page, content);
  await page.keyboard.press('Shift+Home');
  await nextFrames(page);
}

/** Opens a page for two people. */
const openForTwo = async (url: string): Promise<[ada: Page, grace: Page]> => [
  await openAs('ada', url),
  await openAs('grace', url),
];

/** Opens the page of an editor for two people, who have its content. */
async function openEditor(example: string) {
  const pages = await openForTwo(await examples.serve(example));
  for (const page of pages) await page.getByText('synced').waitFor();
  return pages;
}

async function picture(page: Page, example: string): Promise<void> {
  if (!IMAGES) return;
  const file = path.resolve(IMAGES, `example-${example}.png`);
  await page.screenshot({ path: file });
}

it.each([
  ['codemirror', '.cm-content', '.cm-ySelectionInfo'],
  ['tiptap', '.tiptap', '.collaboration-carets__label'],
  ['lexical', '[contenteditable]', '.frame'],
])('%s: two people edit a text, and see each other in it', async (example, content, name) => {
  const [ada, grace] = await openEditor(example);
  await goToEnd(grace, content);
  await grace.keyboard.type(' Grace is here, too.');
  // Otherwise the end may be in the middle of what she types.
  await ada.locator(content).getByText('Grace is here, too.').waitFor();
  await goToEnd(ada, content);
  await ada.keyboard.type(' Ada writes.');
  await grace.locator(content).getByText('Grace is here, too. Ada writes.').waitFor();
  await grace.locator(name).getByText('Ada Lovelace').first().waitFor({ state: 'attached' });
  await picture(grace, example);
});

/** The passages that a page marks, and where their ends are seen. */
const marksOf = (page: Page) =>
  page.evaluate(() =>
    ['comment', 'comment-active'].flatMap((name) =>
      [...(CSS.highlights.get(name) ?? [])].map((range) => {
        const { right, top, bottom } = [...(range as Range).getClientRects()].at(-1) as DOMRect;
        const isSeen = top >= 0 && bottom <= innerHeight;
        return { name, text: `${range}`, isSeen, end: { x: right - 4, y: (top + bottom) / 2 } };
      }),
    ),
  );

it.each([
  ['codemirror', '.cm-content'],
  ['tiptap', '.tiptap'],
  ['lexical', '[contenteditable]'],
  ['blocknote', '.bn-editor'],
])(
  '%s: a comment on a text is marked for others, is found from its thread, and outlives its text',
  async (example, content) => {
    const [ada, grace] = await openEditor(example);
    await goToEnd(ada, content);
    await ada.keyboard.press('Enter');
    await ada.keyboard.type('We launch in May.');
    await ada.keyboard.press('Shift+Home');
    await nextFrames(ada);
    await ada.getByRole('button', { name: 'Comment on the selection' }).click();
    await ada.getByLabel('Write a comment').fill('Is that not too early?');
    await ada.getByLabel('Write a comment').press('Control+Enter');
    const thread = (page: Page) => page.locator('.anchored', { hasText: 'Is that not too early?' });
    await thread(grace).waitFor();
    await eventually(async () =>
      expect(await marksOf(grace)).toMatchObject([
        { name: 'comment', text: expect.stringContaining('We launch in May.') },
      ]),
    );
    await picture(grace, example);

    await grace.addStyleTag({ content: '.page > :first-child { padding-top: 200vh }' });
    expect(await marksOf(grace)).toMatchObject([{ isSeen: false }]);
    await thread(grace).getByRole('button', { name: 'We launch in May.' }).click();
    await eventually(async () =>
      expect(await marksOf(grace)).toMatchObject([{ name: 'comment-active', isSeen: true }]),
    );
    const [mark] = await marksOf(grace);
    await grace.mouse.click(mark?.end.x ?? 0, mark?.end.y ?? 0);
    await grace.locator('.anchored[data-active=true]').waitFor();

    const viewer = await openAs('vera', grace.url());
    await viewer.locator('.anchored', { hasText: 'Is that not too early?' }).waitFor();
    expect(await viewer.getByRole('button', { name: 'Comment on the selection' }).count()).toBe(0);
    await viewer.getByText('synced').waitFor();
    await viewer.locator(content).first().click();
    await viewer.keyboard.type('A viewer writes this.');
    expect(await viewer.locator(content).innerText()).not.toContain('A viewer writes this.');

    // An editor may learn of a selection after the next key.
    await eventually(async () => {
      await selectLastLine(ada, content);
      await ada.keyboard.press('Delete');
      expect(await thread(grace).innerText()).toContain(
        'The text of this comment is gone: “We launch in May.”',
      );
    });
    expect(await marksOf(grace)).toEqual([]);
  },
);

it('blocknote: a phone shows the text in full lines, and nobody misses a text that a comment never had', async () => {
  const url = await examples.serve('blocknote');
  const commentData = [{ commentText: 'About all of it', from: { userId: 'ada' } }];
  const annotation = { annotationId: 'without-text', location: { id: 'blocknote' }, commentData };
  await app.commentAnnotations.add({ ...place, commentAnnotations: [annotation] });
  const page = await openAs('ada', url);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText('synced').waitFor();
  const thread = page.locator('.anchored', { hasText: 'About all of it' });
  await thread.waitFor();
  expect(await thread.innerText()).not.toMatch(/gone|deleted/i);
  expect(await thread.locator('.quote').count()).toBe(0);
  const line = await page.locator('.bn-block-content').last().boundingBox();
  expect(line?.width).toBeGreaterThan(200);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await app.commentAnnotations.delete({ ...place, annotationIds: ['without-text'] });
});

const suggestionsOf = (page: Page) =>
  page.evaluate(() => [...(CSS.highlights.get('suggestion') ?? [])].map((range) => `${range}`));

it.each([
  ['codemirror', '.cm-content', undefined],
  ['tiptap', '.tiptap', 'strong'],
  ['lexical', '[contenteditable]', 'strong'],
  ['blocknote', '.bn-editor', 'strong'],
])(
  '%s: a suggested edit is drawn for others, who accept it or reject it',
  async (example, content, bold) => {
    const [ada, grace] = await openEditor(example);
    const thread = (page: Page, text: string) => page.locator('.anchored', { hasText: text });
    const suggest = async (replacement: string) => {
      // An editor may learn of a selection after the next key.
      await eventually(async () => {
        await selectLastLine(ada, content);
        await ada.getByRole('button', { name: 'Suggest an edit' }).click();
        expect(await ada.getByLabel('Suggested text').count()).toBe(1);
      });
      await ada.getByLabel('Suggested text').fill(replacement);
      await ada.getByRole('button', { name: 'Suggest', exact: true }).click();
      for (const page of [ada, grace]) await page.locator('.suggested-text').waitFor();
      expect(await grace.locator('.suggested-text').innerText()).toBe(replacement);
    };
    const textOf = (page: Page) => page.locator(content).first().innerText();

    await goToEnd(ada, content);
    await ada.keyboard.press('Enter');
    await ada.keyboard.type('We start in ');
    if (bold) await ada.keyboard.press('Control+b');
    await ada.keyboard.type('March');
    if (bold) await ada.keyboard.press('Control+b');
    await ada.keyboard.type(' at last.');
    await suggest('We start in April at last.');
    await eventually(async () =>
      expect(await suggestionsOf(grace)).toEqual([
        expect.stringContaining('We start in March at last.'),
      ]),
    );
    await picture(grace, `${example}-suggestion`);
    await thread(grace, 'We start in April').getByRole('button', { name: 'Accept' }).click();
    for (const page of [ada, grace]) {
      await page.locator(content).getByText('April').first().waitFor();
      await page.locator('.suggested-text').waitFor({ state: 'detached' });
      expect(await textOf(page)).not.toContain('March');
      if (bold) expect(await page.locator(`${content} ${bold}`).last().innerText()).toBe('April');
    }

    await suggest('We start in May.');
    await thread(grace, 'We start in May.').getByRole('button', { name: 'Reject' }).click();
    for (const page of [ada, grace]) {
      await page.locator('.suggested-text').waitFor({ state: 'detached' });
      expect(await textOf(page)).toContain('We start in April at last.');
    }

    const editor = { ...place, editorId: example === 'codemirror' ? 'body' : example };
    const inLine = { annotationId: `${example}-in-line`, from: { userId: 'ada' } };
    const suggestions = [{ ...inLine, quote: 'April', replacement: 'August' }];
    await app.suggestions.add({ ...editor, suggestions });
    await grace.locator('.suggested-text', { hasText: 'August' }).waitFor();
    await picture(grace, `${example}-suggestion-in-line`);
    await app.suggestions.reject({ ...editor, annotationIds: [inLine.annotationId] });
    await grace.locator('.suggested-text').waitFor({ state: 'detached' });

    await suggest('We start in June.');
    await eventually(async () => {
      await selectLastLine(ada, content);
      await ada.keyboard.press('Delete');
      expect(await thread(grace, 'June').innerText()).toContain('The text of this comment is gone');
    });
    expect(await suggestionsOf(grace)).toEqual([]);
    await thread(grace, 'June').getByRole('button', { name: 'Accept' }).click();
    await thread(grace, 'June').getByText('The quoted text no longer exists.').waitFor();
    await thread(grace, 'June').getByText('The text is now:').waitFor();
    const viewer = await openAs('vera', grace.url());
    await thread(viewer, 'June').waitFor();
    expect(await viewer.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  },
);

it('excalidraw: two people draw on a board', async () => {
  const url = await examples.serve('excalidraw');
  const [ada, grace] = await openForTwo(url);
  const panel = (page: Page) => page.getByText('Stroke', { exact: true });
  for (const page of [ada, grace]) await page.locator('canvas').first().waitFor();
  await ada.getByTitle(/^Rectangle/).click();
  await ada.mouse.move(300, 200);
  await ada.mouse.down();
  await ada.mouse.move(600, 400, { steps: 5 });
  await ada.mouse.up();
  // A selection has a panel.
  await eventually(async () => {
    await grace.mouse.click(750, 450);
    await grace.keyboard.press('Control+a');
    expect(await panel(grace).isVisible()).toBe(true);
  });
  const viewer = await openAs('vera', url);
  await viewer.getByText('Read only').waitFor();
  expect(await viewer.getByTitle(/^Rectangle/).count()).toBe(0);
  const [board] = await app.crdt.get({ ...place, editorId: 'board' });
  expect(Object.values(Object(board?.data))).toMatchObject([{ type: 'rectangle' }]);
  await picture(grace, 'excalidraw');
});

it('react-comments: a comment, its mention and its reply arrive at once', async () => {
  const url = await examples.serve('react-comments');
  const [ada, grace] = await openForTwo(url);
  await ada.getByText('Here with you: Grace Hopper').waitFor();
  await grace.getByText('Here with you: Ada Lovelace').waitFor();
  const field = ada.getByLabel('Write a comment');
  await field.pressSequentially('@Gra');
  await ada.getByRole('option', { name: 'Grace Hopper' }).click();
  await field.pressSequentially('Please read this');
  await ada.getByText('Send').last().click();
  const threadsOf = (page: Page) => page.getByRole('region', { name: 'Comments' });
  const [threads, inbox] = [threadsOf(grace), grace.getByRole('region', { name: 'Inbox' })];
  await threads.getByText('Please read this').waitFor();
  await inbox.getByText('Please read this').waitFor();
  await picture(grace, 'react-comments');
  const thread = threads.getByRole('article').filter({ hasText: 'Please read this' });
  await thread.getByLabel('Reply').fill('I have');
  await thread.getByText('Send').click();
  await threadsOf(ada).getByText('I have').waitFor();
  await thread.getByText('Resolve').click();
  await threadsOf(ada).getByText('Please read this').waitFor({ state: 'detached' });
});

it.each(['vue-comments', 'svelte-comments'])(
  '%s: two people comment, and see each other',
  async (example) => {
    const [ada, grace] = await openForTwo(await examples.serve(example));
    await ada.getByText('Here with you: Grace Hopper').waitFor();
    await ada.getByLabel('Write a comment').fill(`Hello from ${example}`);
    await ada.getByRole('button', { name: 'Send' }).click();
    const thread = (page: Page) =>
      page.getByRole('article').filter({ hasText: `Hello from ${example}` });
    await thread(grace).getByLabel('Reply').fill('Hello back');
    await thread(grace).getByRole('button', { name: 'Reply' }).click();
    await thread(ada).getByText('Hello back').waitFor();
    const viewer = await openAs('vera', ada.url());
    await thread(viewer).getByText('Hello back').waitFor();
    for (const label of ['Write a comment', 'Reply']) {
      expect(await viewer.getByLabel(label).count()).toBe(0);
    }
    await thread(ada).getByText('Resolve').click();
    for (const page of [ada, grace]) await thread(page).waitFor({ state: 'detached' });
  },
);

it('next-app: a page from the server has live comments', async () => {
  const url = await examples.serve('next-app', ['next', 'start']);
  const html = await (await fetch(url)).text();
  expect(html).toContain('Two people can edit this text at once.');
  const [ada, grace] = await openForTwo(url);
  for (const page of [ada, grace]) await page.getByText('Shall we start here?').waitFor();
  await ada.getByLabel('Comment', { exact: true }).fill('From the sidebar');
  await ada.getByText('Add').click();
  await grace.getByText('From the sidebar').waitFor();
  await picture(grace, 'next-app');
});

it('webhook-receiver: prints what happens, and refuses what is forged', async () => {
  await examples.run('webhook-receiver', 'npm', 'run', 'types');
  const PORT = await freePort();
  const url = `http://127.0.0.1:${PORT}`;
  await app.advancedWebhookConfig.update({ isEnabled: true });
  const { id: endpointId } = await app.webhookEndpoints.create({ url });
  const { secret } = await app.webhookEndpoints.secret.get({ endpointId });
  const settings = [`PORT=${PORT}`, `WEBHOOK_SECRET=${secret}`];
  const { printed } = examples.start('webhook-receiver', 'env', ...settings, 'node', 'receiver.ts');
  await eventually(() => expect(printed.join('')).toContain('Listening'));
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  const commentData = [{ commentText: 'Hello there', from: { userId: 'ada' } }];
  await app.commentAnnotations.add({ ...place, commentAnnotations: [{ commentData }] });
  await eventually(() => expect(printed.join('')).toContain('New thread: Hello there'));
});

it('rest-script: curl and Python add a comment, and read all', async () => {
  expect(await examples.run('rest-script', './comments.sh')).toContain('Hello from curl');
  expect(await examples.run('rest-script', 'python3', 'comments.py')).toContain(
    'Hello from Python',
  );
});
