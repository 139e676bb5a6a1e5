import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { reactPages } from '../support/react-pages.ts';

const ACME = { organizationId: 'acme' };
const pages = await reactPages('react-page.tsx');
const { newDocument, comment } = pages;

const open = async (userId: string, documentId: string) => {
  const opened = await pages.open(userId, documentId);
  await opened.page.getByText('Create').waitFor();
  return opened;
};

const click = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
const labelled = (page: Page, name: string) => page.getByLabel(name, { exact: true }).textContent();

describe('the hooks of threads', () => {
  it('show two people what each of them does, each change once', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const [ada, bea] = [await open('ada', documentId), await open('bea', documentId)];
    await bea.page.getByText('First').waitFor();
    await click(ada.page, 'Create');
    await bea.page.getByText('A thread').waitFor();
    await click(bea.page, 'Reply');
    await ada.page.getByText('A reply').waitFor();
    await click(ada.page, 'React');
    await bea.page.getByText('👍1').waitFor();
    await click(bea.page, 'React');
    await ada.page.getByText('👍2').waitFor();
    await click(bea.page, 'Resolve');
    await ada.page.locator('[data-status=RESOLVED]').waitFor();
    expect(await labelled(ada.page, 'open')).toBe('1');
    for (const { page, sent } of [ada, bea]) {
      expect(await page.locator('li').count()).toBe(2);
      expect(await page.getByText('A reply').count()).toBe(1);
      expect(sent.filter((each) => each.startsWith('error'))).toEqual([]);
    }
  });

  it('follow a document once, however many they are, and under StrictMode', async () => {
    const documentId = await newDocument();
    for (const text of ['One', 'Two', 'Three']) await comment(documentId, text);
    const { page, sent } = await open('ada', documentId);
    await page.getByText('Three').waitFor();
    await eventually(() => expect(sent).toContain('notifications.changes'));
    for (const name of ['comments', 'presence', 'notifications']) {
      expect(sent.filter((each) => each === `${name}.changes`)).toHaveLength(1);
    }
    // Both clicks in the page, since the unused subscription ends after a second.
    await page.getByText('Toggle').evaluate(async (button: HTMLElement) => {
      button.click();
      await new Promise(requestAnimationFrame);
      button.click();
    });
    await page.getByText('Three').waitFor();
    expect(sent.filter((each) => each === 'comments.changes')).toHaveLength(1);
    await click(page, 'Toggle');
    await eventually(async () => expect(await labelled(page, 'connection')).toBe('idle'));
  });
});

describe('a write', () => {
  it('is shown before the server has answered, and once when its event arrives', async () => {
    const documentId = await newDocument();
    const { page, sent } = await open('ada', documentId);
    const release = await pages.hold(page, 'commentAnnotations.add');
    await click(page, 'Create');
    await page.locator('[data-pending=true]').waitFor();
    release();
    await page.locator('[data-pending=false]').waitFor();
    expect(await page.locator('li').count()).toBe(1);

    const releaseReply = await pages.hold(page, 'comments.add');
    await click(page, 'Reply');
    await click(page, 'Reply');
    await eventually(async () => expect(await page.getByText('A reply').count()).toBe(2));
    releaseReply();
    await eventually(() => expect(sent.filter((each) => each === 'comments.add')).toHaveLength(2));
    await comment(documentId, 'Later');
    await page.getByText('Later').waitFor();
    expect(await page.getByText('A reply').count()).toBe(2);
  });

  it('is shown once when its event arrives before its answer', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const { page } = await open('ada', documentId);
    await page.getByText('First').waitFor();
    const release = await pages.hold(page, 'comments.add', 'answer');
    await click(page, 'Reply');
    await eventually(async () => {
      const { data } = await pages.app.commentAnnotations.get({ ...ACME, documentId });
      expect(data[0]?.comments).toHaveLength(2);
    });
    await comment(documentId, 'Later');
    await page.getByText('Later').waitFor();
    expect(await page.getByText('A reply').count()).toBe(1);
    release();
    await comment(documentId, 'Last');
    await page.getByText('Last').waitFor();
    expect(await page.getByText('A reply').count()).toBe(1);
  });

  it('that edits or deletes is shown at once, and to others when it is stored', async () => {
    const documentId = await newDocument();
    const first = { documentId, annotationId: await comment(documentId, 'First') };
    const [ada, bea] = [await open('ada', documentId), await open('bea', documentId)];
    for (const { page } of [ada, bea]) await page.getByText('First').waitFor();
    const storeEdit = await pages.hold(ada.page, 'comments.update');
    await click(ada.page, 'Edit');
    await ada.page.getByText('Edited').waitFor();
    expect(await bea.page.getByText('Edited').count()).toBe(0);
    storeEdit();
    await bea.page.getByText('Edited').waitFor();

    await click(bea.page, 'Reply');
    await ada.page.getByText('A reply').waitFor();
    const storeDeletion = await pages.hold(ada.page, 'comments.delete');
    await click(ada.page, 'Delete');
    await ada.page.getByText('Edited').waitFor({ state: 'detached' });
    expect(await bea.page.getByText('Edited').count()).toBe(1);
    storeDeletion();
    await bea.page.getByText('Edited').waitFor({ state: 'detached' });
    await bea.page.getByText('A reply').waitFor();

    await click(ada.page, 'Drop');
    for (const { page } of [ada, bea]) await page.locator('li').waitFor({ state: 'detached' });
    const stored = pages.app.commentAnnotations.get({
      ...ACME,
      ...first,
      annotationIds: [first.annotationId],
    });
    expect((await stored).data).toEqual([null]);
  });

  it('that edits or deletes is taken back when it fails', async () => {
    const documentId = await newDocument();
    await comment(documentId, 'First');
    const { page } = await open('ada', documentId);
    await page.getByText('First').waitFor();
    const operations = ['comments.update', 'comments.delete', 'commentAnnotations.delete'];
    const releases = await Promise.all(operations.map((each) => pages.hold(page, each)));
    await click(page, 'Edit');
    await page.getByText('Edited').waitFor();
    await click(page, 'Delete');
    await page.getByText('Edited').waitFor({ state: 'detached' });
    await click(page, 'Drop');
    await page.locator('li').waitFor({ state: 'detached' });
    await pages.makeViewer('ada', documentId);
    for (const release of releases) release();
    await page.getByText('First').waitFor();
    expect(await page.getByText('Edited').count()).toBe(0);
  });
});

it('presence ends when a page is closed, and lasts while another page of the user is open', async () => {
  const documentId = await newDocument();
  const [ada, bea, second] = [
    await open('ada', documentId),
    await open('bea', documentId),
    await open('bea', documentId),
  ];
  await eventually(async () => expect(await labelled(ada.page, 'others')).toBe('bea'));
  expect(await labelled(ada.page, 'self')).toBe('online');
  const updatesOf = ({ sent }: typeof bea) =>
    sent.filter((each) => each === 'presence.update').length;
  for (const each of [bea, second]) {
    await eventually(() => expect(updatesOf(each)).toBeGreaterThanOrEqual(1));
  }
  // The page that stays announces the user again. It is closed only after that has been stored.
  const answered = bea.page.waitForResponse((each) => each.url().includes('presence.update'));
  await second.page.close({ runBeforeUnload: true });
  await answered;
  await eventually(async () => expect(await labelled(ada.page, 'others')).toBe('bea'));
  await bea.page.close({ runBeforeUnload: true });
  await eventually(async () => expect(await labelled(ada.page, 'others')).toBe(''));
});
