import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { done, failed } from '../../parts/notices.ts';

interface DeleteThreadProps {
  thread: CommentAnnotation;
  onDeleted: () => void;
}

export function DeleteThread({ thread, onDeleted }: DeleteThreadProps) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const { annotationId, annotationNumber, metadata, comments } = thread;
  const deleting = useMutation({
    mutationFn: () =>
      client.commentAnnotations.delete({
        organizationId: String(metadata.organizationId),
        annotationIds: [annotationId],
      }),
    onSuccess: () => {
      done('Thread deleted.');
      onDeleted();
      return cache.invalidateQueries({ queryKey: ['feedback', apiKey] });
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Delete thread ${annotationNumber}?`,
      what: `This deletes ${annotationId} in ${metadata.documentId} with its ${comments.length} comments, reactions and notifications. It cannot be undone.`,
      act: 'Delete thread',
      onConfirm: () => deleting.mutate(),
    });
  return (
    <ActButton
      size="compact-sm"
      color="red"
      variant="light"
      loading={deleting.isPending}
      onClick={ask}
    >
      Delete
    </ActButton>
  );
}
