import { expect } from 'vitest';
import { annotationsOf, type Place } from './annotations.ts';
import { dataOf, fresh } from './answers.ts';
import { eventually } from './eventually.ts';
import { readersCaughtUp } from './notifying-key.ts';
import { createTenant, type TestServer } from './server.ts';

/** A separate key with the calls that tests of e-mail share. */
export async function mailingKey(server: TestServer, options: object = {}) {
  const headers = await createTenant(server, {
    ...{ useEmailService: true, setDefaultEmailTriggers: true, enablePrivateComments: true },
    ...options,
  });
  const annotations = annotationsOf(server, headers);
  const call = (path: string, data: object) => server.ok(path, data, headers);
  const tenantId = headers['x-svc-api-key'] ?? '';
  /** The states of all mails of the key, once this many are in the queue. */
  const states = (count: number) =>
    eventually(async () => {
      const { rows } = await server.app.services.db.pool.query<{ state: string; user: string }>(
        `SELECT data->>'userId' AS user,
           CASE WHEN state < 'completed' THEN 'waiting' ELSE output->>'value' END AS state
         FROM pgboss.job WHERE name LIKE 'mails.%' AND data->>'tenantId' = $1 /* all tenants */`,
        [tenantId],
      );
      expect(rows).toHaveLength(count);
      return Object.fromEntries(rows.map(({ user, state }) => [user, state]));
    });
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
    states,
    /** Waits until the only mail to each of these users has this state, so that later mails were due later. */
    settled: (expected: Record<string, string>) =>
      eventually(async () => expect(await states(Object.keys(expected).length)).toEqual(expected)),
    /** Waits until a mail of the key waits for its retry. @returns the seconds until then */
    waits: (userId: string, attempts: number) =>
      eventually(async () => {
        const { rows } = await server.app.services.db.pool.query<{ seconds: number }>(
          `SELECT extract(epoch FROM start_after - now())::float8 AS seconds FROM pgboss.job
           WHERE state = 'retry' AND data->>'tenantId' = $1 AND data->>'userId' = $2
             AND retry_count = $3 /* all tenants */`,
          [tenantId, userId, attempts - 1],
        );
        expect(rows).toHaveLength(1);
        return rows[0]?.seconds ?? 0;
      }),
    /** Lets the time of all retries of the key come. */
    retryNow: () =>
      server.app.services.db.pool.query(
        `UPDATE pgboss.job SET start_after = now()
         WHERE state = 'retry' AND data->>'tenantId' = $1 /* all tenants */`,
        [tenantId],
      ),
    /** Waits until the reader has read all events. */
    readAll: () => readersCaughtUp(server, 'email'),
  };
}

export const mention = (...people: object[]) => ({ taggedUserContacts: people });

const addressOf = (name: string): string => `${fresh(name)}@example.com`;
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
