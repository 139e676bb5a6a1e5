import { checkJudgments } from '../../src/features/memory/alerts/check-judgments.ts';
import { memoryOf } from './memory.ts';
import type { TestServer } from './server.ts';

/** The attribute of all elements in the stored texts. A page that has it took a text for HTML. */
export const HOSTILE_MARK = 'data-hostile';

const ATTACKS = [
  `<img ${HOSTILE_MARK} src=x onerror="window.hostile=1">`,
  `<script ${HOSTILE_MARK}>window.hostile=1</script>`,
  `"><svg ${HOSTILE_MARK} onload=window.hostile=1>`,
];
const HOSTILE = ATTACKS.join(' ');
const HOSTILE_ADDRESS = 'javascript:window.hostile=1';

/** The ids of the place, the thread and the user that have hostile texts in all other fields. */
export const PLACE = { organizationId: 'acme', documentId: 'plan' };
export const THREAD = 'thread';
export const USER = 'ada';

/** Stores hostile texts in every kind of field that the pages of the console show. */
export async function storeHostileTexts(server: TestServer): Promise<void> {
  for (const [path, data, headers] of writes(server)) {
    const { body } = await server.call(path, data, headers);
    if (body?.error) throw new Error(`${path}: ${JSON.stringify(body.error)}`);
  }
  await checkJudgments(server.app.services);
  if ((await memoryOf(server).alerts()).length === 0) throw new Error('No alert was raised.');
}

type Write = [path: string, data: object, headers?: Record<string, string>];

const { organizationId } = PLACE;
const user = { userId: USER, name: HOSTILE, email: 'ada@example.com' };

const writes = ({ workspaceHeaders }: TestServer): Write[] => [
  [
    '/v2/workspace/apikey/create',
    { ownerEmail: 'ada@example.com', type: 'testing', apiKeyName: HOSTILE.slice(0, 200) },
    workspaceHeaders,
  ],
  [
    '/v2/workspace/notificationconfig/update',
    { useNotificationService: true, triggers: { comment: { newlyAdded: true } } },
  ],
  [
    '/v2/workspace/activityconfig/update',
    { activityServiceConfig: { isEnabled: true, triggers: { comment: { newlyAdded: true } } } },
  ],
  ['/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    { url: 'https://hooks.example/in', description: HOSTILE, metadata: { note: HOSTILE } },
  ],
  [
    '/v2/organizations/add',
    { organizations: [{ organizationId, organizationName: HOSTILE, link: HOSTILE_ADDRESS }] },
  ],
  [
    '/v2/organizations/folders/add',
    { organizationId, folders: [{ folderId: 'plans', folderName: HOSTILE }] },
  ],
  [
    '/v2/organizations/documents/add',
    {
      organizationId,
      documents: [{ documentId: 'plan', documentName: HOSTILE, link: HOSTILE_ADDRESS }],
    },
  ],
  [
    '/v1/users/add',
    {
      organizationId,
      users: [
        { ...user, link: HOSTILE_ADDRESS },
        { userId: 'bea', name: HOSTILE },
      ],
    },
  ],
  [
    '/v2/organizations/usergroups/add',
    { organizationId, organizationUserGroups: [{ groupId: 'all', groupName: HOSTILE }] },
  ],
  [
    '/v2/commentannotations/add',
    {
      ...PLACE,
      commentAnnotations: [
        {
          annotationId: THREAD,
          status: { id: 'HOSTILE', name: HOSTILE, color: HOSTILE.slice(0, 60), svg: HOSTILE },
          priority: { id: 'P', name: HOSTILE },
          location: { url: HOSTILE_ADDRESS, name: HOSTILE },
          assignedTo: user,
          commentData: [
            {
              commentText: HOSTILE,
              commentHtml: HOSTILE,
              from: { userId: 'bea', name: HOSTILE },
              taggedUserContacts: [user],
              attachments: [{ name: HOSTILE, url: HOSTILE_ADDRESS }],
              triggerNotification: true,
            },
          ],
        },
      ],
    },
  ],
  [
    '/v2/commentannotations/reactions/add',
    { ...PLACE, annotationId: THREAD, commentId: 1, icon: '<b>', userId: USER },
  ],
  [
    '/v2/notifications/add',
    {
      ...PLACE,
      actionUser: user,
      notifyUsers: [user],
      displayHeadlineMessageTemplate: `{actionUser} ${HOSTILE}`,
      displayBodyMessage: HOSTILE,
      location: { url: HOSTILE_ADDRESS },
    },
  ],
  [
    '/v2/activities/add',
    {
      ...PLACE,
      activities: [
        {
          featureType: 'invoice',
          actionType: '<img data-hostile>',
          actionUser: user,
          displayMessageTemplate: HOSTILE,
          data: { link: HOSTILE_ADDRESS, text: HOSTILE },
        },
      ],
    },
  ],
  [
    '/v2/memory/judgments/add',
    {
      // Opposite decisions about one item, so that an alert is raised.
      judgments: Array.from({ length: 12 }, (_, n) => ({
        query: `Approve ${HOSTILE}`,
        decision: n % 2 === 0 ? 'approved' : 'rejected',
        reasoning: HOSTILE,
        reviewer: { userId: `${USER}${n % 3}`, name: HOSTILE },
        organizationId,
      })),
    },
  ],
  [
    '/v2/crdt/add',
    { ...PLACE, editorId: 'body', type: 'text', data: `${HOSTILE} ${HOSTILE_ADDRESS}` },
  ],
];
