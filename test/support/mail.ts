import { expect } from 'vitest';
import { annotationsOf, type Place } from './annotations.ts';
import { dataOf, fresh } from './answers.ts';
import { eventually } from './eventually.ts';
import type { TestServer } from './server.ts';

type Headers = Record<string, string>;

interface KeyOptions {
  emailServiceConfig?: object;
  setDefaultEmailTriggers?: boolean;
  useEmailService?: boolean;
  useNotificationService?: boolean;
  setDefaultNotificationTriggers?: boolean;
}

/** A separate key with the calls that tests of e-mail share. */
export async function mailingKey(server: TestServer, options: KeyOptions = {}) {
  const headers = await createKey(server, options);
  const annotations = annotationsOf(server, headers);
  const call = async (path: string, data: object) => dataOf(await server.call(path, data, headers));
  const tenantId = headers['x-svc-api-key'] ?? '';
  return {
    headers,
    tenantId,
    call,
    annotations,
    place: (): Place => annotations.place(),
    /** Adds editors of the place, each with a unique address. */
    async people<Name extends string>(place: Place, ...names: Name[]) {
      const people = names.map((name) => [name, { userId: name, email: addressOf(name) }] as const);
      const users = people.map(([name, user]) => ({ ...user, name: capital(name) }));
      const { organizationId } = place;
      await call('/v1/users/add', { organizationId, users });
      return Object.fromEntries(people) as Record<Name, { userId: Name; email: string }>;
    },
    /** Adds an annotation with one comment of Ada that makes notifications. */
    async comment(place: Place, comment: object = {}, annotation: object = {}): Promise<string> {
      const commentData = [
        { commentText: 'Hello', from: { userId: 'ada' }, triggerNotification: true, ...comment },
      ];
      const added = dataOf(await annotations.add(place, [{ ...annotation, commentData }]));
      return Object.keys(added)[0] ?? '';
    },
    /** The states of all mails of the key, once this many are in the queue. */
    states: (count: number) =>
      eventually(async () => {
        const { rows } = await server.app.services.db.pool.query<{ state: string; user: string }>(
          'SELECT state, user_id AS "user" FROM mails WHERE tenant_id = $1',
          [tenantId],
        );
        expect(rows).toHaveLength(count);
        return Object.fromEntries(rows.map(({ user, state }) => [user, state]));
      }),
    /** Waits until the reader has read all events. */
    async readAll(): Promise<void> {
      const { db, events } = server.app.services;
      await events.sequence();
      const { rows: newest } = await db.pool.query<{ sequence: string }>(
        'SELECT max(sequence)::text AS sequence FROM events /* all tenants */',
      );
      await eventually(async () => {
        const { rows } = await db.pool.query<{ isPast: boolean }>(
          `SELECT sequence >= $1::bigint AS "isPast" FROM event_readers WHERE name = 'email'`,
          [newest[0]?.sequence ?? '0'],
        );
        expect(rows[0]?.isPast).toBe(true);
      });
    },
  };
}

async function createKey(server: TestServer, options: KeyOptions): Promise<Headers> {
  const created = await server.call(
    '/v2/workspace/apikey/create',
    {
      ...{ ownerEmail: 'owner@example.com', type: 'testing', createAuthToken: true },
      ...{ useEmailService: true, setDefaultEmailTriggers: true, enablePrivateComments: true },
      ...options,
    },
    server.workspaceHeaders,
  );
  const { apiKey } = dataOf(created);
  const tokens = await server.call(
    '/v2/workspace/authtokens/get',
    { apiKey },
    server.workspaceHeaders,
  );
  return { 'x-svc-api-key': apiKey, 'x-svc-auth-token': dataOf(tokens).authTokens[0].token };
}

const addressOf = (name: string): string => `${fresh(name)}@example.com`;
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
