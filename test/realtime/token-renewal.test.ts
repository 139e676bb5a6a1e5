import { expect, it } from 'vitest';
import { planServer, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';

/** An editor continues without a break when its token is renewed. */

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const LIFETIME_MS = 48 * 60 * 60_000;
const { server, open } = await planServer({}, { clock });

const tokenOf = (userId: string) => userToken(server, userId, { accessRole: 'editor' });

it('the server requests a new token from an editor before its own ends, and the editor stays connected with it', async () => {
  let tokens = 0;
  const editor = await open('body', {
    token: async () => {
      const token = await tokenOf('ed');
      tokens++;
      return token;
    },
  });
  clock.time += LIFETIME_MS - 30_000;
  await eventually(() => expect(tokens).toBe(2));
  // The renewed token is sent and so handled before the edit, since messages are handled in order.
  editor.text.insert(0, 'before ');
  await editor.sent();
  clock.time += 60_000;
  const late = await open('body', { token: () => tokenOf('ed') });
  editor.text.insert(0, 'after ');
  await eventually(() => expect(late.text.toString()).toContain('after before'));
  expect(editor.refusals).toEqual([]);
});

it("an editor's connection ends with its user's token, also when it sends a token of another user", async () => {
  const own = await tokenOf('ann');
  const tokens = [own];
  const editor = await open('body', { token: () => tokens.at(-1) ?? own });
  clock.time += LIFETIME_MS - 30_000;
  tokens.push(await tokenOf('bob'));
  await eventually(() => editor.provider.sendToken());
  clock.time += 60_000;
  await eventually(() => expect(editor.refusals).toContain('TOKEN_EXPIRED'));
});
