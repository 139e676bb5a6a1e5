import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { nameOf } from './people.ts';

export interface ThreadPlace {
  organizationId: string;
  documentId: string;
  annotationId: string;
}

export const useThreadHistory = (place: ThreadPlace) => {
  const { apiKey, own } = useKey();
  return useQuery({
    queryKey: ['feedback', apiKey, 'history', place],
    queryFn: async ({ signal }) => (await own.feedback.history.query(place, { signal })).events,
  });
};

export type ThreadEvent = NonNullable<ReturnType<typeof useThreadHistory>['data']>[number];

const VERBS: Record<string, string> = {
  'comment_annotation.add': 'started the thread',
  'comment_annotation.accept': 'accepted it',
  'comment_annotation.access_mode_change': 'changed who may see it',
  'comment_annotation.approve': 'approved it',
  'comment_annotation.assign': 'assigned it',
  'comment_annotation.custom_list_change': 'changed a custom field',
  'comment_annotation.priority_change': 'changed the priority',
  'comment_annotation.reject': 'rejected it',
  'comment_annotation.subscribe': 'subscribed',
  'comment_annotation.suggestion_accept': 'accepted the suggestion',
  'comment_annotation.suggestion_reject': 'rejected the suggestion',
  'comment_annotation.unsubscribe': 'unsubscribed',
  'comment.add': 'commented',
  'comment.update': 'edited a comment',
  'comment.delete': 'deleted a comment',
  'comment.reaction_add': 'reacted',
  'comment.reaction_delete': 'took a reaction back',
};

/** An event in a sentence, as far as the console knows its type. */
export function describe({ type, actionUser, status, previousStatus, icon }: ThreadEvent): string {
  const who = actionUser ? nameOf(actionUser) : 'Your server';
  if (type === 'comment_annotation.status_change') {
    return `${who} changed the status${previousStatus ? ` from ${previousStatus}` : ''} to ${status}`;
  }
  const verb = VERBS[type] ?? type.replace(/^\w+\./, '').replaceAll('_', ' ');
  return `${who} ${verb}${icon ? ` with ${icon}` : ''}`;
}
