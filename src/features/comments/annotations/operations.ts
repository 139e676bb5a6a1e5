import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import * as example from '../examples.ts';
import { addAnnotations } from './add-annotations.ts';
import { countAnnotations } from './count-annotations.ts';
import { deleteAnnotations } from './delete-annotations.ts';
import { getAnnotations, getGroupedAnnotations } from './get-annotations.ts';
import {
  AddAnnotations,
  annotationCounts,
  annotationOutcomes,
  annotationPage,
  CountAnnotations,
  DeleteAnnotations,
  GetAnnotations,
  GetGroupedAnnotations,
  groupedAnnotationPage,
  Personal,
  UpdateAnnotations,
} from './schema.ts';
import { changeSubscription, markRead } from './subscriptions.ts';
import { updateAnnotations } from './update-annotations.ts';

export const commentAnnotationsRouter = router({
  add: apiKeyOperation({
    path: '/v2/commentannotations/add',
    addsContent: true,
    summary: 'Add comment annotations',
    description:
      'Adds threads, each with its first comments. For keys with requireAutoOrgUser, users whom an API key names are added to the organization.',
    message: 'Comment annotation(s) added successfully.',
    userToken: true,
    errors: ['FAILED_PRECONDITION', 'ABORTED'],
    example: example.add,
  })
    .input(AddAnnotations)
    .output(annotationOutcomes)
    .mutation(({ ctx, input }) => addAnnotations(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/commentannotations/get',
    summary: 'Get comment annotations',
    description:
      'Annotations in the order of lastUpdated, a page at a time. With annotationIds, they come in the order of these ids, with null for each that is not found. With a user token, name the organization, and documents or a folder in it.',
    message: 'Comment annotation(s) retrieved successfully.',
    envelope: 'page',
    userToken: true,
    fromReplica: true,
    example: example.get,
  })
    .input(GetAnnotations)
    .output(annotationPage)
    .query(({ ctx, input }) => getAnnotations(ctx, input)),

  getGrouped: apiKeyOperation({
    path: '/v2/commentannotations/get_grouped',
    summary: 'Get comment annotations by document',
    description:
      'Returns the same page as `get` with groupByDocumentId: grouped by document id, and without nulls.',
    message: 'Comment annotation(s) retrieved successfully.',
    envelope: 'page',
    userToken: true,
    fromReplica: true,
    example: example.getGrouped,
  })
    .input(GetGroupedAnnotations)
    .output(groupedAnnotationPage)
    .query(({ ctx, input }) => getGroupedAnnotations(ctx, input)),

  update: apiKeyOperation({
    path: '/v2/commentannotations/update',
    addsContent: true,
    summary: 'Update comment annotations',
    description:
      'Changes the annotations that the filters find, at most 1,000 at once. At least one filter is required, and empty lists are refused. A status of type terminal resolves an annotation; any other status clears the resolver.',
    message: 'Comment annotation(s) updated successfully.',
    userToken: true,
    errors: ['FAILED_PRECONDITION'],
    example: example.update,
  })
    .input(UpdateAnnotations)
    .output(annotationOutcomes)
    .mutation(({ ctx, input }) => updateAnnotations(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/commentannotations/delete',
    summary: 'Delete comment annotations',
    description:
      'Deletes the annotations that the filters find, at most 1,000 at once. At least one filter is required, and empty lists are refused. Users may delete only their own.',
    message: 'Comment annotation(s) deleted successfully.',
    userToken: true,
    example: example.remove,
  })
    .input(DeleteAnnotations)
    .output(annotationOutcomes)
    .mutation(({ ctx, input }) => deleteAnnotations(ctx, input)),

  count: apiKeyOperation({
    path: '/v2/commentannotations/count/get',
    summary: 'Count comment annotations',
    description:
      'Counts the annotations that the filters find, and the unread ones among them, by document.',
    message: 'Comment annotation(s) counted successfully.',
    userToken: true,
    fromReplica: true,
    example: example.count,
  })
    .input(CountAnnotations)
    .output(annotationCounts)
    .query(({ ctx, input }) => countAnnotations(ctx, input)),

  subscribe: apiKeyOperation({
    path: '/v2/commentannotations/subscribe',
    summary: 'Subscribe to a comment annotation',
    description: 'Subscribes the user to the thread. Subscribers are notified of changes.',
    message: 'Subscribed successfully.',
    userToken: true,
    example: example.personal('User subscribed.'),
  })
    .input(Personal)
    .output(outcomes)
    .mutation(({ ctx, input }) => changeSubscription(ctx, input, 'subscribe')),

  unsubscribe: apiKeyOperation({
    path: '/v2/commentannotations/unsubscribe',
    summary: 'Unsubscribe from a comment annotation',
    description: 'The user is no longer notified, unless mentioned or assigned.',
    message: 'Unsubscribed successfully.',
    userToken: true,
    example: example.personal('User unsubscribed.'),
  })
    .input(Personal)
    .output(outcomes)
    .mutation(({ ctx, input }) => changeSubscription(ctx, input, 'unsubscribe')),

  read: apiKeyOperation({
    path: '/v2/commentannotations/read',
    summary: 'Mark a comment annotation as read',
    description: 'Marks the thread as read by one user, until someone else comments.',
    message: 'Comment annotation marked as read.',
    userToken: true,
    example: example.personal('Annotation read.'),
  })
    .input(Personal)
    .output(outcomes)
    .mutation(({ ctx, input }) => markRead(ctx, input)),
});
