import type { FastifyInstance } from 'fastify';
import { HEADERS } from '../api/credentials/headers.ts';
import { DEFAULT_TRIGGERS } from '../features/settings/triggers.ts';
import type { Quickstart } from '../features/workspaces/quickstart.ts';

const welcome = { organizationId: 'demo', documentId: 'welcome' };
const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' };
const grace = { userId: 'grace', name: 'Grace Hopper', email: 'grace@example.com' };

/** The calls that create the example: notifications, two users, and a document with text and a comment. */
const CALLS: Array<[path: string, data: object]> = [
  [
    '/v2/workspace/notificationconfig/update',
    { useNotificationService: true, triggers: DEFAULT_TRIGGERS },
  ],
  ['/v1/users/add', { organizationId: welcome.organizationId, users: [ada, grace] }],
  [
    '/v2/organizations/documents/add',
    {
      organizationId: welcome.organizationId,
      documents: [{ documentId: welcome.documentId, documentName: 'Welcome' }],
    },
  ],
  [
    '/v2/crdt/add',
    { ...welcome, editorId: 'body', type: 'text', data: 'Two people can edit this text at once.' },
  ],
  [
    '/v2/commentannotations/add',
    {
      ...welcome,
      commentAnnotations: [
        {
          commentData: [
            {
              from: ada,
              commentText: '@Grace Hopper Shall we start here?',
              taggedUserContacts: [{ userId: grace.userId, text: '@Grace Hopper' }],
              triggerNotification: true,
            },
          ],
        },
      ],
    },
  ],
];

/**
 * Fills the workspace of the first start with an example, using calls that any client can make.
 *
 * @throws Error when one of the calls fails
 */
export async function addDemo(
  http: FastifyInstance,
  { apiKey, authToken }: Quickstart,
): Promise<void> {
  const headers = { [HEADERS.apiKey]: apiKey, [HEADERS.authToken]: authToken };
  for (const [url, data] of CALLS) {
    const payload = { data };
    const { statusCode, body } = await http.inject({ method: 'POST', url, headers, payload });
    if (statusCode !== 200) throw new Error(`The example could not be created: ${url}: ${body}`);
  }
}
