import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

describe('users/add', () => {
  it('makes the organization when it is missing, and the users', async () => {
    const { status, body } = await server.call('/v1/users/add', {
      organizationId: 'acme',
      users: [{ userId: 'ada', name: 'Ada Lovelace' }],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      result: {
        status: 'success',
        message: 'User(s) added successfully.',
        data: { ada: { success: true, id: 'ada', message: 'User added.' } },
      },
    });
  });
});
