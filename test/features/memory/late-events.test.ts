import { describe, expect, it } from 'vitest';
import { judgmentReader } from '../../../src/features/memory/learn/judge-events.ts';
import { annotationsOf, type Target } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { storedEvents } from '../../support/events.ts';
import { memoryOf } from '../../support/memory.ts';
import { startTestServer } from '../../support/server.ts';

// No reader runs here: the tests hand the events to the reader of the memory.
const server = await startTestServer({ ROLES: 'api' });
const annotations = annotationsOf(server);
const memory = memoryOf(server);

await server.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });

const commentData = [{ commentText: 'Sell the lighthouse', from: { userId: 'ada' } }];

/** An annotation that was approved. */
async function approved(): Promise<Target> {
  const target = await annotations.annotated({ commentData });
  await update(target, { status: { id: 'APPROVED', type: 'terminal' }, resolvedByUserId: 'grace' });
  return target;
}

const update = ({ annotationId, ...place }: Target, updatedData: object) =>
  annotations.ok('update', { ...place, annotationIds: [annotationId], updatedData });

const deleteDocument = ({ organizationId, documentId }: Target) =>
  server.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] });

/** Handles the approval now, after all later events, and returns the judgments of the document. */
async function judgedLate({ annotationId, ...place }: Target) {
  const events = await storedEvents(server, { types: ['comment_annotation.approve'] });
  const late = events.filter(({ data }) => (data as Target).annotationId === annotationId);
  expect(late).toHaveLength(1);
  const { services } = server.app;
  await services.db.transaction((tx) => judgmentReader.handle(services, tx, late, true));
  return (await memory.query(place)).results;
}

describe('an approval that is handled late is a judgment', () => {
  it('of an annotation that all readers of the document still see', async () => {
    const target = await approved();
    await update(target, { visibility: { type: 'restricted', userIds: ['grace'] } });
    await update(target, { visibility: { type: 'public' } });
    expect(await judgedLate(target)).toMatchObject([{ query: 'Sell the lighthouse' }]);
  });

  it.each<[what: string, since: (target: Target) => Promise<unknown>]>([
    ['was hidden', (target) => update(target, { visibility: { type: 'organizationPrivate' } })],
    ['got an access context', (target) => update(target, { context: { access: { team: ['a'] } } })],
    [
      'was deleted',
      ({ annotationId, ...place }) =>
        annotations.ok('delete', { ...place, annotationIds: [annotationId] }),
    ],
    ['was deleted with its document', deleteDocument],
    [
      'was deleted with its organization',
      ({ organizationId }) =>
        server.ok('/v2/organizations/delete', { organizationIds: [organizationId] }),
    ],
    [
      'was deleted with its document, before another one got its id',
      async (target) => {
        await deleteDocument(target);
        const { annotationId, ...place } = target;
        dataOf(await annotations.add(place, [{ annotationId, commentData }]));
      },
    ],
  ])('but not if the annotation %s since', async (_what, since) => {
    const target = await approved();
    await since(target);
    expect(await judgedLate(target)).toEqual([]);
  });
});
