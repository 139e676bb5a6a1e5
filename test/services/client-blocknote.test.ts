import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { reactPages } from '../support/react-pages.ts';

const pages = await reactPages('blocknote-page.ts');

async function open(userId: string, documentId: string): Promise<Page> {
  const { page } = await pages.open(userId, documentId, { userId });
  await page.getByRole('button', { name: 'Delete' }).waitFor();
  return page;
}

const act = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const threadsOf = async (page: Page) =>
  JSON.parse((await page.getByLabel('threads').textContent()) ?? '');
const expectThreads = (page: Page, threads: unknown[]) =>
  eventually(async () => expect(await threadsOf(page)).toMatchObject(threads));
const paragraph = (text: string) => [
  expect.objectContaining({ content: [{ type: 'text', text, styles: {} }] }),
];

it('the comments of BlockNote are the comments of the document, for two people at once', async () => {
  const documentId = await pages.newDocument();
  const [ada, bea] = [await open('ada', documentId), await open('bea', documentId)];
  await act(ada, 'Write');
  await bea.getByText('The plan').waitFor();
  await act(ada, 'Comment');
  await bea.locator('.bn-thread-mark', { hasText: 'The plan' }).waitFor();
  const first = { author: 'ada', body: paragraph('Which one?'), reactions: [] };
  await expectThreads(bea, [{ resolved: false, comments: [first] }]);

  await act(bea, 'Reply');
  await act(bea, 'React');
  const reply = { author: 'bea', body: paragraph('That one') };
  await expectThreads(ada, [{ comments: [{ ...first, reactions: ['👍 bea'] }, reply] }]);
  await act(bea, 'Unreact');
  await act(ada, 'Update');
  await expectThreads(bea, [{ comments: [{ body: paragraph('Which plan?'), reactions: [] }, {}] }]);
  const { data } = await pages.app.commentAnnotations.get({ organizationId: 'acme', documentId });
  expect(data[0]?.comments.map(({ commentText }) => commentText)).toEqual([
    'Which plan?',
    'That one',
  ]);

  await act(bea, 'Resolve');
  await ada.locator('.bn-thread-mark[data-orphan]').waitFor();
  await act(bea, 'Reopen');
  await ada.locator('.bn-thread-mark:not([data-orphan])').waitFor();
  await act(ada, 'Delete');
  await expectThreads(bea, []);
});

it('comments from elsewhere are shown with their text', async () => {
  const documentId = await pages.newDocument();
  await pages.comment(documentId, 'From elsewhere');
  const page = await open('bea', documentId);
  await expectThreads(page, [{ comments: [{ body: paragraph('From elsewhere') }] }]);
});
