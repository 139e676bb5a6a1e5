import { text } from 'node:stream/consumers';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { reactPages } from '../support/react-pages.ts';

const pages = await reactPages('react-components-page.tsx');
const { newDocument, comment } = pages;

/** The page asks its app for tokens. */
const APP_TOKEN = { tokenUrl: '/api/token' };
const resources = [{ type: 'organization' as const, id: 'acme' }];
const tokenOfAda = () =>
  pages.app.auth.generateToken({ userId: 'ada', permissions: { resources } });

const composer = (page: Page) => page.getByRole('textbox', { name: 'Write a comment' });

async function send(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.press('Control+Enter');
}

/** Opens a new document, with a thread of Ada if its text is given. */
async function openNew(userId: string, text?: string) {
  const documentId = await newDocument();
  const annotationId = text === undefined ? '' : await comment(documentId, text);
  const { page } = await pages.open(userId, documentId);
  return { documentId, annotationId, page };
}

/** Opens a new document for two people. */
async function openForTwo(text?: string) {
  const { documentId, page: ada } = await openNew('ada', text);
  return { documentId, ada, bea: (await pages.open('bea', documentId)).page };
}

const deleteThread = (documentId: string, annotationId: string) =>
  pages.app.commentAnnotations.delete({
    ...{ organizationId: 'acme', documentId },
    annotationIds: [annotationId],
  });

const threadsIn = async (documentId: string) =>
  (await pages.app.commentAnnotations.get({ organizationId: 'acme', documentId })).data;

/** Chooses a person after the first letters of the name. */
async function mention(page: Page, text: string, name: string): Promise<void> {
  await composer(page).pressSequentially(`${text} @${name.slice(0, 3)}`);
  await page.getByRole('option', { name }).waitFor();
  await page.keyboard.press('Enter');
}

const expectText = (field: Locator, text: string) =>
  eventually(async () => expect(await field.inputValue()).toBe(text));

describe('the components', () => {
  it('mention with the keyboard alone, and notify the mentioned', async () => {
    const { ada, bea } = await openForTwo();
    await mention(ada, 'Look,', 'Bea Beck');
    await expectText(composer(ada), 'Look, @Bea Beck ');
    await composer(ada).pressSequentially('here');
    await ada.keyboard.press('Control+Enter');
    await bea.locator('.collab-mention', { hasText: '@Bea Beck' }).waitFor();
    await bea.locator('.collab-notification').waitFor();
    expect(await composer(ada).inputValue()).toBe('');
  });

  it('let the user type on immediately after a mention in the middle of a text', async () => {
    const { page } = await openNew('ada');
    await composer(page).fill('Look, @, please');
    await composer(page).press('Home');
    for (const _ of 'Look, @') await page.keyboard.press('ArrowRight');
    await page.keyboard.type('b');
    await page.getByRole('option', { name: 'Bea Beck' }).waitFor();
    const text = await composer(page).evaluate(async (area: HTMLTextAreaElement) => {
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      // The next key comes before the next frame.
      for (const _ of [1, 2]) await new Promise<void>((resolve) => queueMicrotask(resolve));
      document.execCommand('insertText', false, 'here');
      return area.value;
    });
    expect(text).toBe('Look, @Bea Beck here, please');
  });

  it.each([
    ['你好@李', '李小龙'],
    ['Look, @अमित', 'अमित'],
    ["(@d'a", "Jeanne d'Arc"],
  ])('offer people to mention in any script: %s', async (written, name) => {
    const users = [{ userId: `user-${name.length}`, name }];
    await pages.app.users.add({ organizationId: 'acme', users });
    const { page } = await openNew('ada');
    await composer(page).pressSequentially(written);
    await page.getByRole('option', { name }).waitFor({ timeout: 10_000 });
    await page.keyboard.press('Enter');
    const mention = written.slice(0, written.indexOf('@'));
    await expectText(composer(page), `${mention}@${name} `);
  });

  it('offer nobody to mention within an address, or once the cursor has left the name', async () => {
    const { page } = await openNew('ada');
    const bea = page.getByRole('option', { name: 'Bea Beck' });
    await composer(page).pressSequentially('Look, @b');
    await bea.waitFor();
    // An input method ends its composition with this key, as Safari reports it.
    const init = { key: 'Enter', keyCode: 229, bubbles: true };
    await composer(page).evaluate(
      (area, event) => area.dispatchEvent(new KeyboardEvent('keydown', event)),
      init,
    );
    expect(await composer(page).inputValue()).toBe('Look, @b');
    await page.keyboard.press('Home');
    await bea.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('\nLook, @b');
    await composer(page).fill('ada');
    await composer(page).pressSequentially('@b');
    expect(await page.getByRole('option').count()).toBe(0);
  });

  it('format what is written, for others and for a later edit', async () => {
    const { documentId, ada, bea } = await openForTwo();
    const field = composer(ada);
    await field.fill('soon');
    await field.press('Control+a');
    await field.press('Control+b');
    await field.press('End');
    await field.pressSequentially(
      ', *not* `now`:\n- [one](https://example.com/a?b=1&c=2)\n- <two>\n3. three',
    );
    await field.press('Control+Enter');
    const text = bea.locator('.collab-text', { hasText: 'soon' });
    for (const [tag, content] of [
      ['strong', 'soon'],
      ['em', 'not'],
      ['code', 'now'],
      ['ul > li a[href="https://example.com/a?b=1&c=2"]', 'one'],
      ['ul > li', '<two>'],
      ['ol[start="3"] > li', 'three'],
    ] as const) {
      await text.locator(tag).getByText(content, { exact: true }).waitFor();
    }
    const [stored] = await threadsIn(documentId);
    expect(stored?.comments[0]?.commentText).toMatch(/^soon, not now:/);
    await ada.getByRole('button', { name: 'Edit' }).click();
    const edited = ada.getByRole('textbox', { name: 'Edit the comment' });
    expect(await edited.inputValue()).toBe(
      '**soon**, *not* `now`:\n- [one](https://example.com/a?b=1&c=2)\n- <two>\n\n3. three',
    );
  });

  it('keep a draft and its mentions over a reload, for its user', async () => {
    const { page } = await openNew('ada');
    await mention(page, 'See', 'Bea Beck');
    await composer(page).pressSequentially('please');
    await page.reload();
    await expectText(composer(page), 'See @Bea Beck please');
    await composer(page).press('Control+Enter');
    await page.locator('.collab-mention', { hasText: '@Bea Beck' }).waitFor();
    await page.locator('.collab-thread[data-pending=false]').waitFor();
    await page.reload();
    await page.locator('.collab-mention').waitFor();
    expect(await composer(page).inputValue()).toBe('');
  });

  it('keep an edit that is not saved over a reload, and no longer once it is cancelled or saved', async () => {
    const { page } = await openNew('ada', 'First');
    const edit = page.getByRole('button', { name: 'Edit' });
    const field = page.getByRole('textbox', { name: 'Edit the comment' });
    await edit.click();
    await field.pressSequentially(' and more');
    await page.reload();
    await expectText(field, 'First and more');
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
    await field.press('Escape');
    await edit.and(page.locator(':focus')).waitFor();
    await page.reload();
    await edit.click();
    await expectText(field, 'First');
    await field.fill('Second');
    await page.reload();
    await field.press('Control+Enter');
    await edit.and(page.locator(':focus')).waitFor();
    await page.getByText('(edited)').waitFor();
    await page.reload();
    await page.locator('.collab-threads').getByText('Second').waitFor();
    expect(await field.count()).toBe(0);
  });

  it('keep a draft in its document, also if it was refused after its field had left', async () => {
    const documentId = await newDocument();
    const other = await newDocument();
    const { page } = await pages.open('ada', documentId);
    const show = async (shown: string) => {
      await page.evaluate((id) => location.assign(`#${id}`), await pages.hashOf(page, shown));
      await page.getByRole('heading', { name: shown }).waitFor();
    };
    const expectDraft = (text: string) => expectText(composer(page), text);
    for (const each of [other, documentId]) {
      await show(each);
      await composer(page).waitFor();
    }
    await composer(page).fill('About the first');
    await show(other);
    await expectDraft('');
    await show(documentId);
    await expectDraft('About the first');
    const { promise: isLeft, resolve: leave } = Promise.withResolvers<void>();
    await page.route('**/trpc/commentAnnotations.add', async (route) => {
      await isLeft;
      await route.fulfill({ status: 403, body: 'No' });
    });
    await composer(page).press('Control+Enter');
    await page.locator('[data-pending=true]').first().waitFor();
    await show(other);
    leave();
    const drafts = () => page.evaluate(() => Object.values({ ...sessionStorage }).join());
    await eventually(async () => expect(await drafts()).toContain('About the first'));
    await expectDraft('');
    await show(documentId);
    await expectDraft('About the first');
  });

  it('give back a text that is refused, with its mentions, beside the one that was typed meanwhile', async () => {
    const users = [{ userId: 'dan', name: 'Dan' }];
    await pages.app.users.add({ organizationId: 'acme', users });
    const { page } = await openNew('ada');
    const { promise, resolve: refuse } = Promise.withResolvers<void>();
    await page.route('**/trpc/commentAnnotations.add', async (route) => {
      await promise;
      await route.fulfill({ status: 403, body: 'No' });
    });
    await mention(page, 'First', 'Bea Beck');
    await composer(page).press('Control+Enter');
    await mention(page, 'Second', 'Dan');
    refuse();
    await expectText(composer(page), 'First @Bea Beck \n\nSecond @Dan ');
    await page.unroute('**/trpc/commentAnnotations.add');
    await composer(page).press('Control+Enter');
    await eventually(async () =>
      expect(await page.locator('.collab-mention').allTextContents()).toEqual([
        '@Bea Beck',
        '@Dan',
      ]),
    );
  });

  it('count what is unread in one document and in all, and mark all of a document as read, also what is not shown', async () => {
    const [documentId, other] = [await newDocument(), await newDocument()];
    const news = { displayHeadlineMessageTemplate: 'News', displayBodyMessage: 'Read me' };
    const people = { actionUser: { userId: 'ada' }, notifyUsers: [{ userId: 'cal' }] };
    for (const each of [...Array(31).fill(documentId), other]) {
      const place = { organizationId: 'acme', documentId: each };
      await pages.app.notifications.add({ ...place, ...people, ...news });
    }
    const { page: all } = await pages.open('cal', documentId);
    const { page } = await pages.open('cal', documentId, { inbox: 'of the document' });
    const inbox = page.getByRole('region', { name: 'Inbox' });
    await inbox.getByText('31 unread').waitFor();
    await all.getByText('32 unread').waitFor();
    await inbox.locator('.collab-notification').nth(29).waitFor();
    expect(await inbox.locator('.collab-notification').count()).toBe(30);
    const readAll = inbox.getByRole('button', { name: 'Mark all as read' });
    await readAll.press('Enter');
    await inbox.getByText('0 unread', { exact: true }).waitFor();
    await readAll.and(page.locator(':focus')).waitFor();
    await inbox.locator('.collab-notification[data-read=true]').nth(29).waitFor();
    await all.getByText('1 unread', { exact: true }).waitFor();

    const ofCal = { organizationId: 'acme', userId: 'cal' };
    const { data } = await pages.app.notifications.get({ ...ofCal, documentId });
    const oldest = data.slice(-1).map(({ id }) => id);
    await pages.app.notifications.update({ ...ofCal, notificationIds: oldest, isRead: false });
    await page.reload();
    await inbox.getByText('1 unread', { exact: true }).waitFor();
    expect(await inbox.locator('.collab-notification[data-read=false]').count()).toBe(0);
    await readAll.press('Enter');
    await inbox.getByText('0 unread', { exact: true }).waitFor();
  });

  it('fit a phone with long names, and show each text in its own direction', async () => {
    const documentId = await newDocument();
    const commentText = 'مرحبا, see https://example.com/ now';
    await comment(documentId, commentText, { from: { userId: 'dee', name: 'D'.repeat(120) } });
    const users = [{ userId: 'eve', name: 'E'.repeat(120) }];
    await pages.app.users.add({ organizationId: 'acme', users });
    const { page } = await pages.open('ada', documentId);
    await page.setViewportSize({ width: 390, height: 900 });
    const text = page.locator('.collab-text').first();
    await text.waitFor();
    const pageWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await pageWidth()).toBe(390);
    await composer(page).pressSequentially('@EEE');
    await page.getByRole('option').waitFor();
    expect(await pageWidth()).toBe(390);
    // The first word is Arabic, so the text begins at the right.
    const [first, link, right] = await text.evaluate((element) => {
      const word = document.createRange();
      word.setStart(element.firstChild as Text, 0);
      word.setEnd(element.firstChild as Text, 5);
      const shown = [word, element.querySelector('a'), element];
      return shown.map((each) => each?.getBoundingClientRect().right ?? Number.NaN);
    });
    expect(first).toBeCloseTo(right ?? 0, 0);
    expect(link).toBeLessThan(first ?? 0);
  });

  it('show what is written on buttons, and what is chosen, in the forced colours of a contrast theme', async () => {
    const { page } = await openNew('ada', 'First');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('button', { name: 'Add a reaction' }).click();
    await page.getByRole('button', { name: '👍' }).click();
    await composer(page).pressSequentially('@');
    const colours = (element: Locator) =>
      element.evaluate((each) => {
        const { color, backgroundColor } = getComputedStyle(each);
        return { color, backgroundColor };
      });
    const send = await colours(page.getByRole('button', { name: 'Send' }).first());
    expect(send.color).not.toBe(send.backgroundColor);
    const [first, second] = [page.getByRole('option').first(), page.getByRole('option').nth(1)];
    expect(await colours(first)).not.toEqual(await colours(second));
    const reaction = page.locator('.collab-reaction[aria-pressed=true]');
    expect(await colours(reaction)).toEqual(await colours(first));
  });

  it('lay out the threads in sight alone, and list people over the threads below', async () => {
    const documentId = await newDocument();
    for (let n = 0; n < 30; n++) await comment(documentId, `Thread ${n}`);
    const { page } = await pages.open('ada', documentId);
    const threads = page.locator('.collab-thread');
    await eventually(async () => expect(await threads.count()).toBe(30));
    const isLaidOut = (thread: Element) => thread.checkVisibility({ contentVisibilityAuto: true });
    await eventually(async () => expect(await threads.last().evaluate(isLaidOut)).toBe(false));
    expect(await threads.first().evaluate(isLaidOut)).toBe(true);
    await threads.first().getByRole('textbox').pressSequentially('@');
    const person = page.getByRole('option', { name: 'Cal' });
    await person.waitFor();
    const isOnTop = (option: Element) => {
      const { x, y, width, height } = option.getBoundingClientRect();
      return option.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    };
    expect(await person.evaluate(isOnTop)).toBe(true);
    await threads.last().getByRole('textbox').focus();
    expect(await threads.last().evaluate(isLaidOut)).toBe(true);
  });

  it('react, reply, resolve and reopen', async () => {
    const { page } = await openNew('bea', 'First');
    const addReaction = page.getByRole('button', { name: 'Add a reaction' });
    await addReaction.click();
    await page.getByRole('button', { name: '🎉' }).press('Enter');
    expect(await addReaction.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: '🎉 1', pressed: true }).click();
    await eventually(async () =>
      expect(await page.getByRole('button', { name: '🎉 1' }).count()).toBe(0),
    );
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await send(reply, 'Second');
    await page.locator('.collab-threads').getByText('Second').waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Resolve' }).waitFor();
  });

  it("edit and delete one's own comments with the keyboard, after a question", async () => {
    const { ada, bea } = await openForTwo('First');
    await bea.locator('.collab-threads').getByText('First').waitFor();
    expect(await bea.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    const edit = ada.getByRole('button', { name: 'Edit' });
    await edit.press('Enter');
    const field = ada.getByRole('textbox', { name: 'Edit the comment' });
    await field.pressSequentially(' draft');
    await field.press('Escape');
    await ada.locator('.collab-threads').getByText('First', { exact: true }).waitFor();
    await edit.press('Enter');
    await field.pressSequentially(' of all');
    await field.press('Control+Enter');
    await bea.locator('.collab-threads').getByText('First of all').waitFor();
    await ada.locator('.collab-time', { hasText: 'edited' }).waitFor();
    await ada.locator('button:focus', { hasText: 'Edit' }).waitFor();

    const remove = ada.getByRole('button', { name: 'Delete' });
    await remove.press('Enter');
    await ada.getByRole('dialog', { name: 'Delete this thread?' }).waitFor();
    await ada.keyboard.press('Escape');
    await ada.locator('button:focus', { hasText: 'Delete' }).waitFor();
    await remove.press('Enter');
    await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    for (const page of [ada, bea]) await page.getByText('No comments yet.').waitFor();
    await ada.locator('textarea:focus').waitFor();
  });

  it('keep the focus after sending with the button, and when the thread in focus leaves the list', async () => {
    const { documentId, annotationId, page } = await openNew('ada', 'First');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    const reply = page.getByRole('textbox', { name: 'Reply' });
    for (const field of [composer(page), reply.last()]) {
      await field.pressSequentially('Sent by the button');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expectText(field, '');
      expect(await focused()).toBe(await field.getAttribute('aria-label'));
    }
    const first = page.locator('.collab-thread', { hasText: 'First' });
    await first.getByLabel('Reply').focus();
    await deleteThread(documentId, annotationId);
    await first.waitFor({ state: 'detached' });
    // The text that is typed afterwards must not become a new thread.
    expect(await focused()).toBe('Comments');
  });

  it('announce each new comment of others to screen readers', async () => {
    const { documentId, page } = await openNew('bea', 'Before');
    await page.locator('.collab-thread', { hasText: 'Before' }).waitFor();
    const announced = page.locator('.collab-threads > .collab-hidden[role=status]');
    expect(await announced.textContent()).toBe('');
    await send(composer(page), 'Mine');
    await page.locator('[data-pending=false]', { hasText: 'Mine' }).first().waitFor();
    expect(await announced.textContent()).toBe('');
    await comment(documentId, 'Ready?');
    const first = await announced.getByText('There is a new comment.').elementHandle();
    await comment(documentId, 'Ready!');
    await eventually(async () =>
      expect(await first?.evaluate((element) => element.isConnected)).toBe(false),
    );
    expect(await announced.textContent()).toBe('There is a new comment.');
  });

  it('give back an unsent reply when somebody else deletes its thread', async () => {
    const { documentId, annotationId, page } = await openNew('bea', 'First');
    await page.getByRole('textbox', { name: 'Reply' }).fill('Half a\nthought');
    await deleteThread(documentId, annotationId);
    const kept = page.getByRole('status').filter({ hasText: 'is no longer here' });
    await eventually(async () => expect(await kept.innerText()).toContain('Half a\nthought'));
    await kept.getByRole('button', { name: 'Dismiss' }).click();
    await kept.waitFor({ state: 'detached' });
  });

  it('give back a reply that is refused because somebody has deleted its thread meanwhile', async () => {
    const { documentId, annotationId, page } = await openNew('bea', 'First');
    await page.getByRole('textbox', { name: 'Reply' }).waitFor();
    const release = await pages.hold(page, 'comments.add');
    for (const text of ['One thought', 'Another']) {
      await send(page.getByRole('textbox', { name: 'Reply' }), text);
    }
    await deleteThread(documentId, annotationId);
    await page.getByRole('article').waitFor({ state: 'detached' });
    release();
    const kept = page.getByRole('status').filter({ hasText: 'is no longer here' });
    await eventually(async () => {
      const text = await kept.innerText();
      for (const reply of ['One thought', 'Another']) expect(text).toContain(reply);
    });
    await kept.getByRole('button', { name: 'Dismiss' }).click();
    await kept.waitFor({ state: 'detached' });
  });

  it('offer no writing to a viewer, and offer it when the role changes', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    await pages.makeViewer('bea', documentId);
    const { page } = await pages.open('bea', documentId);
    await page.clock.install();
    await page.reload();
    await page.locator('.collab-threads').getByText('First').waitFor();
    expect(await page.locator('textarea').count()).toBe(0);
    for (const name of ['Resolve', 'Add a reaction', 'Send']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await pages.grant('bea', documentId, 'editor');
    // The page asks for its role every ten seconds.
    await page.clock.fastForward(10_000);
    await composer(page).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).waitFor();
  });

  it('attach files to a comment, with or without a text, and download them', async () => {
    const { ada, bea } = await openForTwo();
    const chosen = ada.locator('.collab-composer input[type=file]').first();
    await chosen.setInputFiles([
      { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('The plan') },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<p>') },
    ]);
    const files = ada.locator('.collab-composer .collab-files').first();
    await files.locator('li', { hasText: 'plan.txt' }).getByText('8 bytes').waitFor();
    await files.locator('li', { hasText: 'page.html' }).getByText('type: must be one of').waitFor();
    const send = ada.getByRole('button', { name: 'Send' }).first();
    await composer(ada).fill('See the plan');
    expect(await send.isDisabled()).toBe(true);
    await files.getByRole('button', { name: 'Remove: page.html' }).click();
    await send.click();
    await files.waitFor({ state: 'detached' });
    const download = bea.waitForEvent('download');
    await bea.getByRole('button', { name: 'plan.txt' }).click();
    expect(await text(await (await download).createReadStream())).toBe('The plan');

    await ada
      .locator('.collab-thread input[type=file]')
      .setInputFiles([{ name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('More') }]);
    const reply = ada.getByRole('button', { name: 'Send' }).nth(1);
    await reply.click();
    await bea.getByRole('button', { name: 'more.txt' }).waitFor();
    expect(await ada.locator('.collab-failure').count()).toBe(0);
  });

  it('offer a commenter to resolve only threads of their own', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const documents = [{ documentId, commentAccess: 'viewers' as const }];
    await pages.app.documents.update({ organizationId: 'acme', documents });
    await pages.makeViewer('bea', documentId);
    const { page } = await pages.open('bea', documentId);
    await send(composer(page), 'Mine');
    const thread = (of: string) => page.locator('.collab-thread', { hasText: of });
    await thread('Mine').getByRole('button', { name: 'Resolve' }).waitFor();
    await thread('First').getByRole('textbox', { name: 'Reply' }).waitFor();
    expect(await thread('First').getByRole('button', { name: 'Resolve' }).count()).toBe(0);
  });

  it('say why an act was refused, and that access has ended, without names of operations', async () => {
    const { documentId, page } = await openNew('bea', 'First');
    const release = await pages.hold(page, 'commentAnnotations.update');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await pages.makeViewer('bea', documentId);
    release();
    await page.locator('.collab-thread').getByRole('alert').waitFor();
    const documentIds = [documentId];
    const accessType = 'restricted';
    await pages.app.documents.updateAccess({ organizationId: 'acme', documentIds, accessType });
    const resource = { type: 'document' as const, id: documentId, organizationId: 'acme' };
    const permissions = { resources: [resource] };
    await pages.app.permissions.remove({ user: { userId: 'bea' }, permissions });
    const alert = page.locator('.collab-threads > [role=alert]');
    expect(await alert.textContent()).toBe('You do not have access to this document.');
  });

  it('say that the network is gone, and send what waits once it is back, once, also after a reload', async () => {
    const documentId = await newDocument();
    const proxy = await createNetwork(pages.url);
    const { page } = await pages.open('ada', documentId, { url: proxy.url });
    await composer(page).waitFor();
    // Nothing says that packets get lost, other than silence.
    proxy.dropPackets();
    const notice = page.locator('.collab-threads .collab-notice');
    await notice.getByText('You are offline.').waitFor();
    await send(composer(page), 'Written meanwhile');
    await page.locator('[data-pending=true]').getByText('Written meanwhile').waitFor();
    await page.reload();
    proxy.deliverPackets();
    proxy.breakAll();
    await page.locator('[data-pending=false]').getByText('Written meanwhile').first().waitFor();
    await page.waitForFunction(() => sessionStorage.getItem('collaboration') === '[]');
    await page.context().setOffline(true);
    await notice.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
    expect(await threadsIn(documentId)).toHaveLength(1);
  });

  it.each([
    ['says that nobody is signed in', 401, '{"error":"Sign in first."}', 'You are signed out.'],
    ['fails', 500, 'Internal Server Error', 'You are offline.'],
  ])(
    'say why nothing arrives while the app %s, and continue when it gives a token',
    async (_, status, body, sentence) => {
      const documentId = await newDocument();
      await comment(documentId, 'First');
      const { page } = await pages.open('ada', documentId, APP_TOKEN);
      let answer = { status, body };
      await page.route('**/api/token', (route) => route.fulfill(answer));
      await page.reload();
      const inbox = page.getByRole('region', { name: 'Inbox' });
      for (const part of [page.locator('.collab-threads'), inbox]) {
        await part.getByRole('status').getByText(sentence).waitFor();
      }
      expect(await page.getByRole('alert').count()).toBe(0);
      answer = { status: 200, body: JSON.stringify(await tokenOfAda()) };
      await inbox.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.collab-threads').getByText('First').waitFor();
      await page.locator('.collab-notice').first().waitFor({ state: 'detached' });
    },
  );

  it('say that a comment needs a sign-in until the user is back, and keep its text', async () => {
    const documentId = await newDocument();
    const { page } = await pages.open('ada', documentId, APP_TOKEN);
    let isSignedIn = true;
    await page.route('**/api/token', async (route) =>
      isSignedIn
        ? route.fulfill({ json: await tokenOfAda() })
        : route.fulfill({ status: 401, json: {} }),
    );
    await page.reload();
    await composer(page).fill('Written signed out');
    isSignedIn = false;
    await pages.app.auth.revokeTokens({ userIds: ['ada'] });
    const notice = page.locator('.collab-threads .collab-notice');
    await notice.waitFor();
    await composer(page).press('Control+Enter');
    await page.getByRole('alert').getByText('You are signed out.').waitFor();
    isSignedIn = true;
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await composer(page).inputValue()).toBe('Written signed out');
  });

  it.each(['light', 'dark'])('have no accessibility faults, %s', async (scheme) => {
    const documentId = await newDocument();
    const mentions = { taggedUserContacts: [{ userId: 'bea', name: 'Bea Beck' }] };
    await comment(documentId, '@Bea Beck, see https://example.com', mentions);
    const isDark = scheme === 'dark';
    const { page } = await pages.open('bea', documentId, { isDark });
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await send(reply, 'Seen');
    await page.locator('.collab-text', { hasText: 'Seen' }).waitFor();
    await page.locator('.collab-notification').first().waitFor();
    await page.getByRole('button', { name: 'Add a reaction' }).first().click();
    await page.getByRole('button', { name: '🎉' }).click();
    await page.getByRole('button', { name: '🎉 1', pressed: true }).waitFor();
    await page.locator('[data-pending=true]').waitFor({ state: 'detached' });
    const faults = async () => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    };
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Edit the comment' }).fill('Seen, @');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('button', { name: 'Add a reaction' }).first().click();
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await faults()).toEqual([]);
  });

  it('show what is stored as text, and never run it', async () => {
    const documentId = await newDocument();
    const attack = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
    const link = '<a href="javascript:window.attacked=1">Link</a>';
    await comment(documentId, `${attack} javascript:alert(1) https://example.com/a?b=1.`);
    await comment(documentId, '', { commentHtml: `<b>Only HTML</b>${attack}${link}` });
    const { page } = await pages.open('bea', documentId);
    await page.getByText('Only HTML').waitFor();
    await page.getByText('<img src=x').waitFor();
    expect(await page.locator('.collab-text img, .collab-text script').count()).toBe(0);
    const links = await page
      .locator('.collab-text a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual(['https://example.com/a?b=1']);
    expect(await page.evaluate(() => 'attacked' in window)).toBe(false);
  });
});
