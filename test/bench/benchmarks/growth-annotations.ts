import type { Client } from 'pg';
import { filtered, growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { seedAnnotations } from '../harness/annotations.ts';

const path = '/v2/commentannotations/get';
const COUNT = '/v2/commentannotations/count/get';
const ADD = '/v2/commentannotations/add';
const UPDATE = '/v2/commentannotations/update';
const COMMENTS = '/v2/commentannotations/comments/get';
const organizationId = 'acme';
const documentId = 'document-7';
const folderId = 'folder-3';
/** A thousand annotations have ten for each of these. */
const userId = 'user-3';
const userIds = [userId];
const locationIds = ['location-3'];
const pageSize = 10;

function tables(count: number): Tables {
  const middleMs = count * 500;
  const pageToken = pageTokenAfter(
    'commentAnnotations.get',
    { organizationId, groupByDocumentId: false, order: 'desc' },
    [String(middleMs), `annotation-${count / 2}`],
  );
  const lines = (filters: Record<string, object>, place: object = { organizationId }) =>
    filtered(path, { ...place, pageSize }, filters);
  return {
    'Annotations by place': {
      ...lines({
        'an organization': {},
        'page in the middle': { pageToken },
        'a document': { documentId },
        'three documents': { documentIds: [documentId, 'document-8', 'document-9'] },
        'a folder': { folderId },
        'a location': { locationIds },
        '10 by id': { annotationIds: Array.from({ length: 10 }, (_, n) => `annotation-${n}`) },
      }),
      ...lines({ 'the whole key': {} }, {}),
    },
    'Annotations by people and state': lines({
      'an author': { userIds },
      'a mentioned user': { mentionedUserIds: userIds },
      'resolved by a user': { resolvedBy: 'user-3' },
      'a status': { statusIds: ['RESOLVED'] },
    }),
    'Annotations by agents': lines({
      'an agent': { agentId: 'agent-3' },
      'a run of it': { executionId: 'execution-3' },
      'a type of agent': { agentType: 'custom' },
      'a source of agents': { agentSource: 'internal' },
      'comments of agents': { agentComments: true },
    }),
    'Annotations by time': lines({
      'updated after': { updatedAfter: middleMs },
      'updated before': { updatedBefore: middleMs },
      'created after': { createdAfter: middleMs },
      'created before': { createdBefore: middleMs },
      'oldest first': { order: 'asc' },
    }),
    'Annotations by several filters': lines({
      'a document, an author': { documentId, userIds: ['user-50', 'user-51'] },
      'a folder, a status': { folderId, statusIds: ['RESOLVED'] },
      'a location, an author': { locationIds, userIds },
      'authors, statuses, created before': {
        userIds: ['user-3', 'user-4', 'user-5'],
        statusIds: ['RESOLVED', 'OPEN', 'IN_PROGRESS'],
        createdBefore: middleMs,
      },
      'a status, created before': { statusIds: ['RESOLVED'], createdBefore: middleMs },
      'a folder and a status that no two share': { folderId, statusIds: ['NONE'] },
    }),
    'One annotation among many': {
      'comments of an annotation': {
        path: COMMENTS,
        data: { organizationId, documentId, annotationId: 'annotation-350' },
      },
      'counts of a document': { path: COUNT, data: { organizationId, documentId } },
      'change one by id': (n) => ({
        path: UPDATE,
        data: {
          organizationId,
          annotationIds: ['annotation-600'],
          updatedData: { priority: { id: `priority-${n}` } },
        },
      }),
      'add one': (n) => ({
        path: ADD,
        data: {
          organizationId,
          documentId: 'document-13',
          commentAnnotations: [
            { annotationId: `added-${n}`, commentData: [{ commentText: 'Yes', from: { userId } }] },
          ],
        },
      }),
    },
  };
}

const fill = (database: Client, count: number) => seedAnnotations(database, count);

export default growthOfLists({
  name: 'growth-annotations',
  sizeOf: 'annotations',
  reasons: {
    'authors, statuses, created before':
      'It passes over the newer annotations of the authors, since the index is in the order of changes. An author has few of all annotations.',
  },
  fill,
  tables,
});
