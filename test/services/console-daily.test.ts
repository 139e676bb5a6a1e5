import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { watchedPage } from '../support/chromium.ts';
import { startConsole } from '../support/console-browser.ts';
import { editorsOf } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { createEndpoint, publishEvents, setAdvancedWebhooks } from '../support/webhooks.ts';

/** The daily work of operators, as the administrator does it. */
const settings = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const { server, browser, signIn, keyPage } = await startConsole(settings);
const first = await browser.newPage();
await signIn(first);
await first.close();
const plan = await editorsOf(server);

/** Opens an address under the key. */
async function open(address: string): Promise<Page> {
  const { page } = await watchedPage(browser);
  await page.goto(keyPage(address));
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

it('the console revokes the tokens of one person, whose editor closes', async () => {
  const editor = await plan.open('body');
  const page = await open('directory?organization=acme&open=user:ada');
  await page.getByRole('button', { name: 'Revoke tokens' }).click();
  await page
    .getByRole('dialog', { name: 'Revoke the tokens' })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByText('The tokens of ada were revoked.').waitFor();
  await eventually(() => expect(editor.refusals[0]).toBe('TOKEN_REVOKED'));
});

it('the console finds people by their names and threads by their texts, and shows the statements of a request', async () => {
  const users = [{ userId: 'u-7', name: 'Katherine Johnson' }];
  await server.ok('/v1/users/add', { organizationId: 'acme', users });
  const commentData = [{ from: { userId: 'u-7' }, commentText: 'The margin is too small' }];
  const place = { organizationId: 'acme', documentId: 'plan' };
  const add = { ...place, commentAnnotations: [{ commentData }] };
  await server.ok('/v2/commentannotations/add', add);
  const page = await open('events');
  const find = async (words: string, found: string) => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByPlaceholder('Go to a page or key, or find a name or ID').fill(words);
    await page.getByRole('button', { name: found }).click();
  };
  await find('katherine', 'Katherine Johnson');
  await page.waitForURL('**open=user*u-7*');
  await page.goto(keyPage('events'));
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await find('too small', 'The margin is too small');
  await page.getByRole('dialog').getByText('The margin is too small').first().waitFor();
  await page.goto(`${server.url}/console/requests?operation=commentAnnotations.add`);
  await page.locator('.console-row a').first().click();
  await page.getByRole('dialog').getByText('Database statements').waitFor();
  await page.goto(`${server.url}/console/overview`);
  const chart = page.getByRole('region', { name: 'Latency' });
  await chart.getByRole('button', { name: 'Table' }).click();
  await chart.getByRole('link').first().click();
  await page.waitForURL('**/requests?*until=*');
});

it('the console shows the edit of a suggestion without a comment, in the list and in its panel', async () => {
  const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'invitation' };
  await server.ok('/v2/crdt/add', { ...editor, type: 'text', data: 'We launch in May.' });
  const suggestion = { quote: 'in May', replacement: 'in June', from: { userId: 'ada' } };
  await server.ok('/v2/suggestions/add', { ...editor, suggestions: [suggestion] });
  const page = await open('feedback');
  await page.getByRole('cell', { name: '“in May” → “in June”' }).click();
  await page.getByRole('dialog').getByText('“in May” → “in June”').waitFor();
});

it('the console runs any operation of the API, and records in the audit log who did', async () => {
  const page = await open('playground?tab=api&operation=organizations.add');
  const input = page.getByRole('textbox', { name: 'Input (JSON)' });
  await input.fill('{"organizations": [{"organizationId": "by-hand"}]}');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Response' }).getByText('by-hand').waitFor();
  await page.goto(keyPage('settings?tab=audit'));
  const act = page.getByRole('row').filter({ hasText: 'organizations.add' });
  await act.getByText('organizationId: by-hand').waitFor();
  await act.getByText('Administrator', { exact: true }).waitFor();
});

it('the console sends a test email', async () => {
  const page = await open('settings?tab=notifications');
  const send = async () => {
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'To' }).fill('ada@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  };
  await send();
  await page.getByText('Turn them on first').waitFor();
  const config = { useEmailService: true };
  await server.ok('/v2/workspace/emailconfig/update', config);
  await page.reload();
  await send();
  await page.getByText('A test email was sent to ada@example.com.').waitFor();
});

it('the console shows edits as they are made, and restores a version after it stored what was there', async () => {
  const body = { editorId: 'safe', type: 'text' };
  await plan.call('add', { ...body, data: 'The first draft' });
  await plan.call('versions/create', { editorId: 'safe', name: 'Draft' });
  const page = await open('live-documents?organization=acme&document=plan&editor=safe');
  await page.getByText('The first draft').first().waitFor();
  await plan.call('update', { ...body, data: 'Reviewed' });
  await page.getByText('Reviewed').first().waitFor();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Restore' })
    .getByRole('button', { name: 'Restore' })
    .click();
  await page.getByRole('cell', { name: 'Before a restore' }).waitFor();
  await eventually(async () => expect(await plan.contentOf('safe')).toBe('The first draft'));
});

it('the console downloads the archive of an organization, and the data of a person', async () => {
  const page = await open('directory?organization=acme&open=user:ada');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export personal data' }).click();
  expect((await saved).suggestedFilename()).toBe('user-ada-acme.json');
  await page.keyboard.press('Escape');
  const archived = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  expect((await archived).suggestedFilename()).toBe('acme.tar');
  expect(await (await archived).failure()).toBeNull();
});

it('the console sends the deliveries of a filtered list again', async () => {
  const receiver = await startReceiver();
  await setAdvancedWebhooks(server, server.keyHeaders, true);
  // Events of other tests may still come.
  const filterTypes = ['comment.add'];
  const { id } = await createEndpoint(server, server.keyHeaders, {
    url: receiver.url,
    filterTypes,
  });
  await publishEvents(server, server.keyHeaders, [{}, {}]);
  await eventually(() => expect(receiver.received.length).toBe(2));
  const page = await open(`webhooks?tab=deliveries&endpoint=${id}&status=delivered`);
  await page.getByText('2 shown').waitFor();
  await page.getByRole('button', { name: 'Resend all shown' }).click();
  // A delivery that joins the list meanwhile is not part of what the dialog asks about.
  await publishEvents(server, server.keyHeaders, [{}]);
  await page.getByText('3 shown').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
  await page.getByText('2 deliveries will be sent again.').waitFor();
  await eventually(() => expect(receiver.received.length).toBe(5));
  await page.goto(keyPage(`webhooks?endpoint=${id}`));
  await page.getByRole('button', { name: 'Resend failed deliveries' }).click();
  await page.getByRole('button', { name: 'Resend', exact: true }).click();
  await page.getByText('Deliveries being resent: 0.').waitFor();
});
