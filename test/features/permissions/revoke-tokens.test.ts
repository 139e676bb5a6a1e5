import { expect, it } from 'vitest';
import { dataOf, failureOf } from '../../support/answers.ts';
import { userToken } from '../../support/editors.ts';
import { createTenant, testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });

const revoke = async (...userIds: string[]) =>
  dataOf(await server.call('/v2/auth/revoke_tokens', { userIds }));

/** Why the token is refused; undefined if it is accepted. */
async function refusalOf(token: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await server.call('/v2/auth/generate_stream_ticket', {}, headers);
  return answer.status === 200 ? undefined : failureOf(answer).reason;
}

it('ends every token of the user at once, and none that is made later or of another user', async () => {
  const [first, second] = [await userToken(server, 'ada'), await userToken(server, 'ada')];
  const others = await userToken(server, 'grace');
  expect(await refusalOf(first)).toBeUndefined();
  expect(await revoke('ada', 'nobody')).toEqual({
    ada: { success: true, id: 'ada', message: 'Tokens revoked.' },
    nobody: { success: false, id: 'nobody', message: 'User does not exist.' },
  });
  expect(await refusalOf(first)).toBe('TOKEN_REVOKED');
  expect(await refusalOf(second)).toBe('TOKEN_REVOKED');
  expect(await refusalOf(others)).toBeUndefined();
  expect(await refusalOf(await userToken(server, 'ada'))).toBeUndefined();
});

it('knows no users of another key, and ends none of their tokens', async () => {
  const other = await createTenant(server);
  const token = await userToken(server, 'theirs', undefined, other);
  expect(await revoke('theirs')).toEqual({
    theirs: { success: false, id: 'theirs', message: 'User does not exist.' },
  });
  expect(await refusalOf(token)).toBeUndefined();
});
