import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
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
      done('The thread was deleted.');
      onDeleted();
      return cache.invalidateQueries({ queryKey: ['feedback', apiKey] });
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Delete thread number ${annotationNumber}?`,
      what: `${annotationId} in ${metadata.documentId} goes with its ${comments.length} comments, reactions and notifications. It cannot come back.`,
      act: 'Delete the thread',
      onConfirm: () => deleting.mutate(),
    });
  return (
    <Button
      size="compact-sm"
      color="red"
      variant="light"
      loading={deleting.isPending}
      onClick={ask}
    >
      Delete
    </Button>
  );
}
