export const place = { organizationId: 'acme', documentId: 'plan' };
export const body = { ...place, editorId: 'body' };

/** The ids of resources that exist before the calls of users, where the server chose the id. */
export interface Content {
  /** A stored version of the editor `body`. */
  versionId: string;
  attachmentId: string;
  /** An attachment that the user may delete. */
  deletableId: string;
}

type Request = (userId: string, content: Content) => object;

/** The request of each operation that accepts user tokens, in the name of `userId`. */
export const USER_REQUESTS: Record<string, Request> = {
  'auth.generateStreamTicket': () => ({}),
  'permissions.get': (userId) => ({
    ...{ organizationId: 'acme', userIds: [userId] },
    documentIds: ['plan'],
  }),
  'users.get': () => place,
  'crdt.get': () => body,
  'crdt.add': (userId) => ({ ...place, editorId: `of-${userId}`, type: 'text', data: 'New' }),
  'crdt.update': () => ({ ...body, type: 'text', data: 'Changed' }),
  'crdt.replaceRange': () => ({
    ...{ ...place, editorId: 'quoted' },
    ...{ quote: 'Hello', replacement: 'Hello' },
  }),
  'crdt.delete': () => ({ ...place, editorId: 'old' }),
  'crdt.versions.list': () => body,
  'crdt.versions.create': () => body,
  'crdt.versions.restore': (_userId, { versionId }) => ({ ...body, versionId }),
  'commentAnnotations.get': () => place,
  'commentAnnotations.getGrouped': () => place,
  'commentAnnotations.count': () => ({ organizationId: 'acme', documentIds: ['plan'] }),
  'commentAnnotations.add': (userId) => ({
    ...place,
    commentAnnotations: [{ commentData: [{ commentText: 'New', from: { userId } }] }],
  }),
  'commentAnnotations.update': () => ({
    ...{ ...place, annotationIds: ['thread'] },
    updatedData: { status: { id: 'RESOLVED' } },
  }),
  'commentAnnotations.delete': () => ({ ...place, annotationIds: ['by-ada', 'by-editor'] }),
  'commentAnnotations.subscribe': (userId) => ({ ...place, annotationId: 'thread', userId }),
  'commentAnnotations.unsubscribe': (userId) => ({ ...place, annotationId: 'thread', userId }),
  'commentAnnotations.read': (userId) => ({ ...place, annotationId: 'thread', userId }),
  'comments.get': () => ({ ...place, annotationId: 'thread' }),
  'comments.changes': () => place,
  'comments.add': (userId) => ({
    ...{ ...place, annotationId: 'thread' },
    commentData: [{ commentText: 'More', from: { userId } }],
  }),
  'comments.update': () => ({
    ...{ ...place, annotationId: 'thread' },
    commentData: [1, 2].map((commentId) => ({ commentId, commentText: 'Changed' })),
  }),
  'comments.delete': () => ({ ...place, annotationId: 'thread', commentIds: [3, 4] }),
  'reactions.add': (userId) => ({
    ...place,
    annotationId: 'reacted',
    commentId: 1,
    icon: 'a',
    userId,
  }),
  'reactions.delete': (userId) => ({
    ...{ ...place, annotationId: 'reacted', commentId: 1 },
    ...{ icon: 'b', userId },
  }),
  'suggestions.add': (userId) => ({
    ...{ ...place, editorId: 'quoted' },
    suggestions: [{ quote: 'Hello', replacement: 'Hi', from: { userId } }],
  }),
  'suggestions.accept': () => ({ ...place, editorId: 'quoted', annotationIds: ['thread'] }),
  'suggestions.reject': () => ({ ...place, editorId: 'quoted', annotationIds: ['thread'] }),
  'presence.get': () => place,
  'presence.changes': () => place,
  'presence.add': (userId) => ({ ...place, users: [{ userId }] }),
  'presence.update': (userId) => ({ ...place, users: [{ userId }] }),
  'presence.delete': (userId) => ({ ...place, userIds: [userId] }),
  'recordings.get': () => place,
  'recordings.add': (userId) => ({ ...place, recordings: [recording(userId)] }),
  'recordings.delete': () => ({ ...place, recordingIds: ['by-ada', 'by-editor'] }),
  'notifications.get': (userId) => ({ organizationId: 'acme', userId }),
  'notifications.unreadCount': (userId) => ({ organizationId: 'acme', userId }),
  'notifications.changes': (userId) => ({ organizationId: 'acme', userId }),
  'notifications.update': (userId) => ({
    ...{ organizationId: 'acme', userId },
    notificationIds: ['due'],
  }),
  'notifications.config.get': (userId) => ({
    ...{ organizationId: 'acme', userId },
    documentIds: ['plan'],
  }),
  'notifications.config.set': (userId) => ({
    ...{ organizationId: 'acme', userId },
    documentIds: ['plan'],
    config: { inbox: 'NONE' },
  }),
  'attachments.createUpload': () => ({ ...place, name: 'a.txt', type: 'text/plain', size: 5 }),
  'attachments.complete': (_userId, { attachmentId }) => ({ ...place, attachmentId }),
  'attachments.get': (_userId, { attachmentId }) => ({ ...place, attachmentId }),
  'attachments.delete': (_userId, { deletableId }) => ({ ...place, attachmentId: deletableId }),
  'rewriter.stream': () => ({ model: 'gen-4o', prompt: 'Shorter', text: 'Hello' }),
  'userData.get': (userId) => ({ organizationId: 'acme', userId }),
};

export const recording = (userId: string) => ({
  from: { userId },
  url: 'https://media.example.com/walk.mp4',
});
