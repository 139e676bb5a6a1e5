import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/features/events/event-types.ts';
import { eventTypes } from '../../src/features/index.ts';
import { sql } from '../../src/platform/database/database.ts';
import { Anonymiser } from '../../src/platform/erasure/anonymiser.ts';
import { CONTENTS, newAlias } from '../../src/platform/erasure/people.ts';
import { committedDocument, DocumentSchemas } from '../support/api-document.ts';
import { organize } from '../support/directory.ts';
import { allEvents } from '../support/events.ts';
import { testServer } from '../support/server.ts';

const document = committedDocument();
const schemas = new DocumentSchemas(document);
const each = Object.entries(eventTypes);

describe('the event catalogue', () => {
  it('is the list that webhook endpoints accept', () => {
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(eventTypes).sort());
  });

  it('is complete in the OpenAPI document', () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(eventTypes));
  });

  it.each(each)(
    '%s has an example that matches its schema, also after the erasure of the users in it',
    (type, { data, example }) => {
      expect(data.safeParse(example).error).toBeUndefined();
      const body = document.webhooks[type]?.post?.requestBody.content['application/json'].example;
      expect(body).toMatchObject({ type, data: example });
      expect(schemas.problemsOfEvent(type, body)).toEqual([]);
      const none = { names: [], organizationIds: [] };
      const people = ['ada', 'grace'].map((userId) => ({ userId, alias: newAlias(), ...none }));
      for (const contents of CONTENTS) {
        const data = new Anonymiser(people, contents).anonymise(example) ?? example;
        expect(schemas.problemsOfEvent(type, { ...(body as object), data }), contents).toEqual([]);
      }
    },
  );
});

describe('an event', () => {
  const server = testServer();

  it.each([
    ['of no type that we know', 'document.explode', {}],
    ['whose data do not fit its type', 'document.add', { id: 'plan' }],
  ])('%s is refused, and its change is rolled back', async (_, type, data) => {
    const { db, events } = server.app.services;
    const tenantId = server.quickstart.apiKey;
    const change = db.transaction(async (tx) => {
      await tx.query(sql`
        INSERT INTO organizations (tenant_id, organization_id) VALUES (${tenantId}, 'undone')`);
      await events.append(tx, tenantId, [{ type, channels: [], data }]);
    });
    await expect(change).rejects.toThrow(`An event of type ${type} cannot be published`);
    const organizationIds = ['undone'];
    expect(await server.ok('/v2/organizations/get', { organizationIds })).toEqual([]);
  });

  it('that is built in SQL matches its schema', async () => {
    const organizationId = await organize(server, 'acme', { documents: ['plan'] });
    const place = { organizationId, documentId: 'plan' };
    const editor = { ...place, editorId: 'body', type: 'text' };
    await server.ok('/v2/crdt/add', { ...editor, data: 'Draft' });
    await server.ok('/v2/crdt/update', { ...editor, data: 'Final' });
    for (const status of ['online', 'away']) {
      const users = [{ userId: 'ada', name: 'Ada', email: 'ada@example.com', status }];
      await server.ok('/v2/presence/update', { ...place, users });
    }
    await server.ok('/v2/presence/delete', { ...place, userIds: ['ada'] });
    for (const type of ['crdt.update_data', 'presence.update']) {
      const events = await allEvents(server, { types: [type] });
      expect(events.length).toBeGreaterThan(0);
      expect(events.flatMap((event) => schemas.problemsOfEvent(type, event))).toEqual([]);
    }
  });
});
