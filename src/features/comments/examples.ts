// The examples in the documentation of the operations.

export const place = { organizationId: 'acme', documentId: 'launch-plan' };
const ada = { userId: 'ada', name: 'Ada Lovelace' };

export const annotation = {
  annotationId: 'headline',
  annotationNumber: 1,
  annotationIndex: 1,
  type: 'comment',
  createdAt: 1_790_000_000_000,
  lastUpdated: 1_790_000_000_000,
  hasDraftComments: false,
  from: ada,
  status: { id: 'OPEN', name: 'Open', color: '#625DF5', lightColor: '#E7E8FA', type: 'default' },
  visibilityConfig: { type: 'public' },
  metadata: { apiKey: 'key', ...place },
  subscribedUsers: { ada: { user: ada, type: 'auto' } },
  unsubscribedUsers: {},
  subscribedGroups: {},
  customList: [],
  comments: [
    {
      commentId: 1,
      type: 'text',
      status: 'added',
      isDraft: false,
      isCommentTextAvailable: true,
      commentText: 'Shorter?',
      commentHtml: '<p>Shorter?</p>',
      createdAt: 1_790_000_000_000,
      lastUpdated: '2026-09-21T14:13:20.000Z',
      to: [],
      toOrganizationUserGroup: [],
      taggedUserContacts: [],
      attachments: [],
      recorders: [],
      customList: [],
      reactionAnnotationIds: [],
      reactionAnnotations: [],
      from: ada,
    },
  ],
};

const outcome = (message: string) => ({
  headline: { success: true, annotationId: 'headline', commentIds: [1], message },
});

export const add = {
  request: {
    ...place,
    createOrganization: true,
    createDocument: true,
    commentAnnotations: [
      {
        annotationId: 'headline',
        commentData: [
          { commentText: 'Shorter?', commentHtml: '<p>Shorter?</p>', from: { userId: 'ada' } },
        ],
      },
    ],
  },
  response: outcome('Annotation added.'),
};

export const get = { request: { ...place, statusIds: ['OPEN'] }, response: [annotation] };

export const getGrouped = {
  request: get.request,
  response: { [place.documentId]: [annotation] },
};

export const update = {
  request: {
    ...place,
    annotationIds: ['headline'],
    updatedData: { status: { id: 'RESOLVED' }, resolvedByUserId: 'ada' },
  },
  response: outcome('Annotation updated.'),
};

export const remove = {
  request: { ...place, annotationIds: ['headline'] },
  response: outcome('Annotation deleted.'),
};

export const count = {
  request: { organizationId: 'acme', documentIds: ['launch-plan'], userId: 'ada' },
  response: { 'launch-plan': { total: 1, unread: 0 } },
};

export const personal = (message: string) => ({
  request: { ...place, annotationId: 'headline', userId: 'grace' },
  response: { headline: { success: true, id: 'headline', message } },
});
