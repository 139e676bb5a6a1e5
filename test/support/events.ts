import { eventsAfter, type LoggedEvent } from '../../src/platform/events/logged-events.ts';
import type { Loose } from './answers.ts';
import type { TestServer } from './server.ts';

/** An event as callers read it. `data` depends on the type. */
export interface PublishedEvent {
  id: string;
  type: string;
  timestamp: string;
  metadata: { apiKey: string; organizationId?: string; documentId?: string };
  data: Loose;
}

interface Query {
  types?: string[];
  limit?: number;
  after?: string;
}

/** All events of the key, read page by page. */
export async function allEvents(
  server: TestServer,
  query: Query = {},
  headers: Record<string, string> = server.keyHeaders,
): Promise<PublishedEvent[]> {
  const all: PublishedEvent[] = [];
  let { after } = query;
  for (;;) {
    const page = await server.ok('/v2/events/get', { ...query, after }, headers);
    if (page.events.length === 0) return all;
    all.push(...page.events);
    after = page.cursor;
  }
}

/** All events of one organization of the key. */
export async function eventsOf(
  server: TestServer,
  organizationId: string,
  types?: string[],
): Promise<PublishedEvent[]> {
  const all = await allEvents(server, { types });
  return all.filter(({ metadata }) => metadata.organizationId === organizationId);
}

/** The events of the key that are published during some work. */
export async function eventsDuring(
  server: TestServer,
  work: () => Promise<unknown>,
  headers = server.keyHeaders,
): Promise<PublishedEvent[]> {
  const before = new Set((await allEvents(server, {}, headers)).map(({ id }) => id));
  await work();
  return (await allEvents(server, {}, headers)).filter(({ id }) => !before.has(id));
}

/** The events of a key as they are stored, oldest first. */
export async function storedEvents(
  server: TestServer,
  { headers = server.keyHeaders, after = '0', types }: StoredQuery = {},
): Promise<LoggedEvent[]> {
  const { db, events } = server.app.services;
  // Events just published may still be in the outbox.
  await events.sequence();
  const tenantId = headers['x-svc-api-key'] ?? '';
  const query = { tenantId, after, types: types ?? null, limit: 1_000_000 };
  return (await eventsAfter(db, query)).events;
}

interface StoredQuery {
  headers?: Record<string, string>;
  after?: string;
  types?: string[];
}
