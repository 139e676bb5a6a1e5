import { text } from 'node:stream/consumers';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { reactPages } from '../support/react-pages.ts';

const pages = await reactPages('react-components-page.tsx');
const { newDocument, comment } = pages;

const composer = (page: Page) => page.getByRole('textbox', { name: 'Write a comment' });

describe('the components', () => {
  it('mention with the keyboard alone, and notify the mentioned', async () => {
    const documentId = await newDocument();
    const [ada, bea] = [await pages.open('ada', documentId), await pages.open('bea', documentId)];
    await composer(ada.page).pressSequentially('Look, @b');
    await ada.page.getByRole('option', { name: 'Bea Beck' }).waitFor();
    await ada.page.keyboard.press('Enter');
    await eventually(async () =>
      expect(await composer(ada.page).inputValue()).toBe('Look, @Bea Beck '),
    );
    await composer(ada.page).pressSequentially('here');
    await ada.page.keyboard.press('Control+Enter');
    await bea.page.locator('.collab-mention', { hasText: '@Bea Beck' }).waitFor();
    await bea.page.locator('.collab-notification').waitFor();
    expect(await composer(ada.page).inputValue()).toBe('');
  });

  it('let the user type on immediately after a mention in the middle of a text', async () => {
    const { page } = await pages.open('ada', await newDocument());
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
    const { page } = await pages.open('ada', await newDocument());
    await composer(page).pressSequentially(written);
    await page.getByRole('option', { name }).waitFor({ timeout: 10_000 });
    await page.keyboard.press('Enter');
    const mention = written.slice(0, written.indexOf('@'));
    await eventually(async () =>
      expect(await composer(page).inputValue()).toBe(`${mention}@${name} `),
    );
  });

  it('offer nobody to mention within an address', async () => {
    const { page } = await pages.open('ada', await newDocument());
    await composer(page).pressSequentially('@b');
    await page.getByRole('option').waitFor();
    await composer(page).fill('ada');
    await composer(page).pressSequentially('@b');
    expect(await page.getByRole('option').count()).toBe(0);
  });

  it('leave to an input method the key that ends its composition, as Safari reports it', async () => {
    const { page } = await pages.open('ada', await newDocument());
    await composer(page).pressSequentially('@b');
    await page.getByRole('option', { name: 'Bea Beck' }).waitFor();
    await composer(page).evaluate((area) =>
      area.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true }),
      ),
    );
    expect(await composer(page).inputValue()).toBe('@b');
  });

  it('offer nobody to mention once the cursor has left the name', async () => {
    const { page } = await pages.open('ada', await newDocument());
    await composer(page).pressSequentially('Look, @b');
    await page.getByRole('option', { name: 'Bea Beck' }).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('option').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('\nLook, @b');
  });

  it('format what is written, for others and for a later edit', async () => {
    const documentId = await newDocument();
    const [ada, bea] = [await pages.open('ada', documentId), await pages.open('bea', documentId)];
    const field = composer(ada.page);
    await field.fill('soon');
    await field.press('Control+a');
    await field.press('Control+b');
    await field.press('End');
    await field.pressSequentially(
      ', *not* `now`:\n- [one](https://example.com/a?b=1&c=2)\n- <two>\n3. three',
    );
    await field.press('Control+Enter');
    const text = bea.page.locator('.collab-text', { hasText: 'soon' });
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
    const { data } = await pages.app.commentAnnotations.get({ organizationId: 'acme', documentId });
    expect(data[0]?.comments[0]?.commentText).toMatch(/^soon, not now:/);
    await ada.page.getByRole('button', { name: 'Edit' }).click();
    const edited = ada.page.getByRole('textbox', { name: 'Edit the comment' });
    expect(await edited.inputValue()).toBe(
      '**soon**, *not* `now`:\n- [one](https://example.com/a?b=1&c=2)\n- <two>\n\n3. three',
    );
  });

  it('keep a draft and its mentions over a reload, for its user', async () => {
    const documentId = await newDocument();
    const { page } = await pages.open('ada', documentId);
    await composer(page).pressSequentially('See @Be');
    await page.getByRole('option', { name: 'Bea Beck' }).waitFor();
    await composer(page).press('Enter');
    await composer(page).pressSequentially('please');
    await page.reload();
    await eventually(async () =>
      expect(await composer(page).inputValue()).toBe('See @Bea Beck please'),
    );
    await composer(page).press('Control+Enter');
    await page.locator('.collab-mention', { hasText: '@Bea Beck' }).waitFor();
    await page.locator('.collab-thread[data-pending=false]').waitFor();
    await page.reload();
    await page.locator('.collab-mention').waitFor();
    expect(await composer(page).inputValue()).toBe('');
  });

  it('keep a draft in its document, also if it was refused after its field had left', async () => {
    const documentId = await newDocument();
    const other = await newDocument();
    const { page } = await pages.open('ada', documentId);
    const show = async (shown: string) => {
      await page.evaluate((id) => location.assign(`#${id}`), await pages.hashOf(page, shown));
      await page.getByRole('heading', { name: shown }).waitFor();
    };
    const expectDraft = (text: string) =>
      eventually(async () => expect(await composer(page).inputValue()).toBe(text));
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
    const { page } = await pages.open('ada', await newDocument());
    const { promise, resolve: refuse } = Promise.withResolvers<void>();
    await page.route('**/trpc/commentAnnotations.add', async (route) => {
      await promise;
      await route.fulfill({ status: 403, body: 'No' });
    });
    const mention = async (text: string, name: string) => {
      await composer(page).pressSequentially(`${text} @${name.slice(0, 3)}`);
      await page.getByRole('option', { name }).waitFor();
      await page.keyboard.press('Enter');
    };
    await mention('First', 'Bea Beck');
    await composer(page).press('Control+Enter');
    await mention('Second', 'Dan');
    refuse();
    await eventually(async () =>
      expect(await composer(page).inputValue()).toBe('First @Bea Beck \n\nSecond @Dan '),
    );
    await page.unroute('**/trpc/commentAnnotations.add');
    await composer(page).press('Control+Enter');
    await eventually(async () =>
      expect(await page.locator('.collab-mention').allTextContents()).toEqual([
        '@Bea Beck',
        '@Dan',
      ]),
    );
  });

  it('count what is unread in one document, and what is unread in all, in each tab', async () => {
    const [documentId, other] = [await newDocument(), await newDocument()];
    const mention = { taggedUserContacts: [{ userId: 'cal', name: 'Cal' }] };
    for (const each of [documentId, documentId, other]) await comment(each, '@Cal', mention);
    const all = (await pages.open('cal', documentId)).page;
    const { page } = await pages.open('cal', documentId, { inbox: 'of the document' });
    const expectUnread = (of: Page, count: number) =>
      of.getByRole('region', { name: 'Inbox' }).getByText(`${count} unread`).waitFor();
    await expectUnread(page, 2);
    await expectUnread(all, 3);
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expectUnread(page, 0);
    await page.locator('.collab-notification[data-read=true]').nth(1).waitFor();
    await expectUnread(all, 1);
  });

  it('mark all notifications as read, also those that the inbox does not show', async () => {
    const documentId = await newDocument();
    const place = { organizationId: 'acme', documentId };
    const news = { displayHeadlineMessageTemplate: 'News', displayBodyMessage: 'Read me' };
    const people = { actionUser: { userId: 'ada' }, notifyUsers: [{ userId: 'bea' }] };
    for (let count = 0; count < 35; count++) {
      await pages.app.notifications.add({ ...place, ...people, ...news });
    }
    const { page } = await pages.open('bea', documentId, { inbox: 'of the document' });
    const inbox = page.getByRole('region', { name: 'Inbox' });
    await inbox.getByText('35 unread').waitFor();
    await inbox.locator('.collab-notification').nth(29).waitFor();
    expect(await inbox.locator('.collab-notification').count()).toBe(30);
    await inbox.getByRole('button', { name: 'Mark all as read' }).click();
    await inbox.getByText('0 unread', { exact: true }).waitFor();
  });

  it('fit a phone with long names, and show each text in its own direction', async () => {
    const documentId = await newDocument();
    const commentText = 'مرحبا, see https://example.com/ now';
    await comment(documentId, commentText, { from: { userId: 'dee', name: 'D'.repeat(120) } });
    const { page } = await pages.open('ada', documentId);
    await page.setViewportSize({ width: 390, height: 900 });
    const text = page.locator('.collab-text').first();
    await text.waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const [box, link] = [await text.boundingBox(), await text.locator('a').boundingBox()];
    // The first word is Arabic, so the text begins at the right.
    const rightOf = (each: typeof box) => (each?.x ?? 0) + (each?.width ?? 0);
    const first = await text.evaluate((element) => {
      const range = document.createRange();
      range.setStart(element.firstChild as Text, 0);
      range.setEnd(element.firstChild as Text, 5);
      return range.getBoundingClientRect().right;
    });
    expect(first).toBeCloseTo(rightOf(box), 0);
    expect(rightOf(link)).toBeLessThan(first);
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
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const { page } = await pages.open('bea', documentId);
    const addReaction = page.getByRole('button', { name: 'Add a reaction' });
    await addReaction.click();
    await page.getByRole('button', { name: '🎉' }).press('Enter');
    expect(await addReaction.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: '🎉 1', pressed: true }).click();
    await eventually(async () =>
      expect(await page.getByRole('button', { name: '🎉 1' }).count()).toBe(0),
    );
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.fill('Second');
    await reply.press('Control+Enter');
    await page.locator('.collab-text', { hasText: 'Second' }).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Resolve' }).waitFor();
  });

  it("edit and delete one's own comments with the keyboard, after a question", async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const [ada, bea] = [await pages.open('ada', documentId), await pages.open('bea', documentId)];
    await bea.page.locator('.collab-threads').getByText('First').waitFor();
    expect(await bea.page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    const edit = ada.page.getByRole('button', { name: 'Edit' });
    await edit.press('Enter');
    const field = ada.page.getByRole('textbox', { name: 'Edit the comment' });
    await field.pressSequentially(' draft');
    await field.press('Escape');
    await ada.page.locator('.collab-threads').getByText('First', { exact: true }).waitFor();
    await edit.press('Enter');
    await field.pressSequentially(' of all');
    await field.press('Control+Enter');
    await bea.page.locator('.collab-threads').getByText('First of all').waitFor();
    await ada.page.locator('.collab-time', { hasText: 'edited' }).waitFor();
    await ada.page.locator('button:focus', { hasText: 'Edit' }).waitFor();

    const remove = ada.page.getByRole('button', { name: 'Delete' });
    await remove.press('Enter');
    await ada.page.getByRole('dialog', { name: 'Delete this thread?' }).waitFor();
    await ada.page.keyboard.press('Escape');
    await ada.page.locator('button:focus', { hasText: 'Delete' }).waitFor();
    await remove.press('Enter');
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    for (const { page } of [ada, bea]) await page.getByText('No comments yet.').waitFor();
    await ada.page.locator('textarea:focus').waitFor();
  });

  it('keep the focus after sending with the button, and when the thread in focus leaves the list', async () => {
    const documentId = await newDocument();
    const annotationId = await comment(documentId, 'First');
    const { page } = await pages.open('ada', documentId);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    const reply = page.getByRole('textbox', { name: 'Reply' });
    for (const field of [composer(page), reply.last()]) {
      await field.pressSequentially('Sent by the button');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await eventually(async () => expect(await field.inputValue()).toBe(''));
      expect(await focused()).toBe(await field.getAttribute('aria-label'));
    }
    const first = page.locator('.collab-thread', { hasText: 'First' });
    await first.getByLabel('Reply').focus();
    await pages.app.commentAnnotations.delete({
      ...{ organizationId: 'acme', documentId },
      annotationIds: [annotationId],
    });
    await first.waitFor({ state: 'detached' });
    // The text that is typed afterwards must not become a new thread.
    expect(await focused()).toBe('Comments');
  });

  it('announce each new comment of others to screen readers', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'Before');
    const { page } = await pages.open('bea', documentId);
    await page.locator('.collab-thread', { hasText: 'Before' }).waitFor();
    const announced = page.locator('.collab-threads > .collab-hidden[role=status]');
    expect(await announced.textContent()).toBe('');
    await composer(page).fill('Mine');
    await composer(page).press('Control+Enter');
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
    const documentId = await newDocument();
    const annotationIds = [await comment(documentId, 'First')];
    const { page } = await pages.open('bea', documentId);
    await page.getByRole('textbox', { name: 'Reply' }).fill('Half a\nthought');
    await pages.app.commentAnnotations.delete({
      ...{ organizationId: 'acme', documentId },
      annotationIds,
    });
    const kept = page.getByRole('status').filter({ hasText: 'is no longer here' });
    await eventually(async () => expect(await kept.innerText()).toContain('Half a\nthought'));
    await kept.getByRole('button', { name: 'Dismiss' }).click();
    await kept.waitFor({ state: 'detached' });
  });

  it('keep the focus where a button has nothing more to do', async () => {
    const documentId = await newDocument();
    const mentions = { taggedUserContacts: [{ userId: 'bea' }] };
    for (let count = 0; count < 51; count++) await comment(documentId, `No. ${count}`, mentions);
    const { page } = await pages.open('bea', documentId);
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute('aria-label') ?? element?.textContent;
      });
    await page.locator('.collab-notification[data-read=false]').first().waitFor();
    const [readAll, more] = ['Mark all as read', 'Show more'].map((name) =>
      page.getByRole('button', { name }),
    );
    await readAll?.focus();
    await page.keyboard.press('Enter');
    await page
      .locator('.collab-notification[data-read=false]')
      .first()
      .waitFor({ state: 'detached' });
    expect(await focused()).toBe('Mark all as read');
    await more?.first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('No. 0', { exact: true }).first().waitFor();
    await eventually(async () => expect(await focused()).toBe('Comments'));
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
    const documentId = await newDocument();
    const [ada, bea] = [await pages.open('ada', documentId), await pages.open('bea', documentId)];
    const chosen = ada.page.locator('.collab-composer input[type=file]').first();
    await chosen.setInputFiles([
      { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('The plan') },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<p>') },
    ]);
    const files = ada.page.locator('.collab-composer .collab-files').first();
    await files.locator('li', { hasText: 'plan.txt' }).getByText('8 bytes').waitFor();
    await files.locator('li', { hasText: 'page.html' }).getByText('type: must be one of').waitFor();
    const send = ada.page.getByRole('button', { name: 'Send' }).first();
    await composer(ada.page).fill('See the plan');
    expect(await send.isDisabled()).toBe(true);
    await files.getByRole('button', { name: 'Remove: page.html' }).click();
    await send.click();
    await files.waitFor({ state: 'detached' });
    const download = bea.page.waitForEvent('download');
    await bea.page.getByRole('button', { name: 'plan.txt' }).click();
    expect(await text(await (await download).createReadStream())).toBe('The plan');

    await ada.page
      .locator('.collab-thread input[type=file]')
      .setInputFiles([{ name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('More') }]);
    const reply = ada.page.getByRole('button', { name: 'Send' }).nth(1);
    await reply.click();
    await bea.page.getByRole('button', { name: 'more.txt' }).waitFor();
    expect(await ada.page.locator('.collab-failure').count()).toBe(0);
  });

  it('offer a commenter to resolve only threads of their own', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const documents = [{ documentId, commentAccess: 'viewers' as const }];
    await pages.app.documents.update({ organizationId: 'acme', documents });
    await pages.makeViewer('bea', documentId);
    const { page } = await pages.open('bea', documentId);
    await composer(page).fill('Mine');
    await composer(page).press('Control+Enter');
    const thread = (of: string) => page.locator('.collab-thread', { hasText: of });
    await thread('Mine').getByRole('button', { name: 'Resolve' }).waitFor();
    await thread('First').getByRole('textbox', { name: 'Reply' }).waitFor();
    expect(await thread('First').getByRole('button', { name: 'Resolve' }).count()).toBe(0);
  });

  it.each([
    ['commentAnnotations.update', ['Resolve']],
    ['reactions.add', ['Add a reaction', '👍']],
  ])('say why %s was refused', async (operation, buttons) => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const { page } = await pages.open('bea', documentId);
    const release = await pages.hold(page, operation);
    for (const name of buttons) await page.getByRole('button', { name }).first().click();
    await pages.makeViewer('bea', documentId);
    release();
    await page.locator('.collab-thread').getByRole('alert').waitFor();
  });

  it('say that access has ended, without the names of operations, which are for developers', async () => {
    const documentId = await newDocument();
    const { page } = await pages.open('bea', documentId);
    await composer(page).waitFor();
    const documentIds = [documentId];
    const accessType = 'restricted';
    await pages.app.documents.updateAccess({ organizationId: 'acme', documentIds, accessType });
    const alert = page.locator('.collab-threads > [role=alert]');
    expect(await alert.textContent()).toBe('You do not have access to this document.');
  });

  it('say that the network is gone, and send what waits once it is back', async () => {
    const documentId = await newDocument();
    const proxy = await createNetwork(pages.url);
    const { page } = await pages.open('ada', documentId, { url: proxy.url });
    await composer(page).waitFor();
    // Nothing says that packets get lost, other than silence.
    proxy.dropPackets();
    const notice = page.locator('.collab-threads .collab-notice');
    await notice.getByText('You are offline.').waitFor();
    await composer(page).fill('Written meanwhile');
    await composer(page).press('Control+Enter');
    await page.locator('[data-pending=true]').getByText('Written meanwhile').waitFor();
    proxy.deliverPackets();
    proxy.breakAll();
    await notice.waitFor({ state: 'detached' });
    await page.locator('[data-pending=false]').getByText('Written meanwhile').first().waitFor();
    await page.context().setOffline(true);
    await notice.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
    const { data } = await pages.app.commentAnnotations.get({ organizationId: 'acme', documentId });
    expect(data).toHaveLength(1);
  });

  it.each([
    ['says that nobody is signed in', 401, '{"error":"Sign in first."}', 'You are signed out.'],
    ['fails', 500, 'Internal Server Error', 'You are offline.'],
  ])(
    'say why nothing arrives while the app %s, and continue when it gives a token',
    async (_, status, body, sentence) => {
      const documentId = await newDocument();
      await comment(documentId, 'First');
      const { page } = await pages.open('ada', documentId);
      const resources = [{ type: 'organization' as const, id: 'acme' }];
      const ada = { userId: 'ada', permissions: { resources } };
      const { token } = await pages.app.auth.generateToken(ada);
      let answer = { status, body };
      await page.route('**/api/token', (route) => route.fulfill(answer));
      await page.evaluate((tokenUrl) => {
        const facts = JSON.parse(decodeURIComponent(location.hash.slice(1)));
        location.hash = encodeURIComponent(JSON.stringify({ ...facts, tokenUrl }));
      }, '/api/token');
      await page.reload();
      const inbox = page.getByRole('region', { name: 'Inbox' });
      for (const part of [page.locator('.collab-threads'), inbox]) {
        await part.getByRole('status').getByText(sentence).waitFor();
      }
      expect(await page.getByRole('alert').count()).toBe(0);
      answer = { status: 200, body: JSON.stringify({ token }) };
      await inbox.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.collab-threads').getByText('First').waitFor();
      await page.locator('.collab-notice').first().waitFor({ state: 'detached' });
    },
  );

  it('say that a comment needs a sign-in until the user is back, and keep its text', async () => {
    const documentId = await newDocument();
    const { page } = await pages.open('ada', documentId);
    const resources = [{ type: 'organization' as const, id: 'acme' }];
    let isSignedIn = true;
    await page.route('**/api/token', async (route) => {
      const ada = { userId: 'ada', permissions: { resources } };
      if (!isSignedIn) return route.fulfill({ status: 401, json: {} });
      return route.fulfill({ json: await pages.app.auth.generateToken(ada) });
    });
    await page.evaluate((tokenUrl) => {
      const facts = JSON.parse(decodeURIComponent(location.hash.slice(1)));
      location.hash = encodeURIComponent(JSON.stringify({ ...facts, tokenUrl }));
    }, '/api/token');
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

  it('send once what was written offline, also after a reload', async () => {
    const documentId = await newDocument();
    const proxy = await createNetwork(pages.url);
    const { page } = await pages.open('ada', documentId, { url: proxy.url });
    await composer(page).waitFor();
    proxy.dropPackets();
    await composer(page).fill('Written before the reload');
    await composer(page).press('Control+Enter');
    await page.locator('[data-pending=true]').getByText('Written before').waitFor();
    await page.reload();
    proxy.deliverPackets();
    proxy.breakAll();
    await page.locator('[data-pending=false]').getByText('Written before').first().waitFor();
    await page.waitForFunction(() => sessionStorage.getItem('collaboration') === '[]');
    const { data } = await pages.app.commentAnnotations.get({ organizationId: 'acme', documentId });
    expect(data).toHaveLength(1);
  });

  it.each(['light', 'dark'])('have no accessibility faults, %s', async (scheme) => {
    const documentId = await newDocument();
    const mentions = { taggedUserContacts: [{ userId: 'bea', name: 'Bea Beck' }] };
    await comment(documentId, '@Bea Beck, see https://example.com', mentions);
    const isDark = scheme === 'dark';
    const { page } = await pages.open('bea', documentId, { isDark });
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.fill('Seen');
    await reply.press('Control+Enter');
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
