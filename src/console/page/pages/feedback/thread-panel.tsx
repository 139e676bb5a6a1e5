import { Anchor, Group, Select, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { useReadOnly } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { DeleteThread } from './delete-thread.tsx';
import { nameOf } from './people.ts';
import { ThreadComment } from './thread-comment.tsx';
import { ThreadHistory } from './thread-history.tsx';
import { StatusBadge } from './threads-tab.tsx';

interface ThreadPanelProps {
  annotationId: string | undefined;
  onClose: () => void;
}

/** One thread with everything in it. */
export function ThreadPanel({ annotationId, onClose }: ThreadPanelProps) {
  const { apiKey, client } = useKey();
  const input = { annotationIds: [annotationId ?? ''] };
  const thread = useQuery({
    queryKey: ['feedback', apiKey, 'thread', annotationId],
    queryFn: async ({ signal }) => {
      const { data } = await client.commentAnnotations.get(input, { signal });
      return (data as Array<CommentAnnotation | null>)[0] ?? null;
    },
    enabled: annotationId !== undefined,
  });
  return (
    <SidePanel title="Thread" isOpen={annotationId !== undefined} onClose={onClose}>
      <Loaded query={thread}>
        {(found) =>
          found ? (
            <Thread thread={found} onDeleted={onClose} />
          ) : (
            <Empty title="Thread not found">
              It was deleted, or it belongs to another API key.
            </Empty>
          )
        }
      </Loaded>
      <Group>
        <CopyCurl operation="commentAnnotations.get" input={input} />
      </Group>
    </SidePanel>
  );
}

function Thread({ thread, onDeleted }: { thread: CommentAnnotation; onDeleted: () => void }) {
  const { annotationId, annotationNumber, metadata, comments, from, visibilityConfig } = thread;
  const organizationId = String(metadata.organizationId);
  const documentId = String(metadata.documentId);
  const subscribers = Object.values(thread.subscribedUsers).map(({ user }) => nameOf(user));
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2} size="h4">
            {`Thread ${annotationNumber}`}
          </Title>
          <StatusBadge thread={thread} />
        </Group>
        <DeleteThread thread={thread} onDeleted={onDeleted} />
      </Group>
      <Facts
        facts={{
          ID: <CopyText text={annotationId} />,
          Organization: (
            <PageLink page="directory" search={{ organization: organizationId }}>
              {organizationId}
            </PageLink>
          ),
          Document: (
            <PageLink
              page="live-documents"
              search={{ organization: organizationId, document: documentId }}
            >
              {documentId}
            </PageLink>
          ),
          By: nameOf(from),
          Started: <Time at={thread.createdAt} />,
          Changed: <Time at={thread.lastUpdated} />,
          'Assigned to': thread.assignedTo && nameOf(thread.assignedTo),
          'Resolved by': thread.resolvedByUserId,
          Priority: thread.priority && (thread.priority.name ?? thread.priority.id),
          'Visible to': VISIBLE_TO[visibilityConfig.type],
          Location: thread.locationId,
          Agent: thread.agent?.agentId,
          Subscribers: subscribers.length > 0 ? subscribers.join(', ') : undefined,
        }}
      />
      <ChangeStatus thread={thread} />
      <Title order={3} size="h5">
        {comments.length === 1 ? '1 comment' : `${comments.length} comments`}
      </Title>
      <Stack gap="md">
        {comments.map((comment) => (
          <ThreadComment key={comment.commentId} comment={comment} />
        ))}
      </Stack>
      <ThreadHistory place={{ organizationId, documentId, annotationId }} />
      <details>
        <summary>Thread as JSON</summary>
        <Json value={thread} />
      </details>
      <Anchor size="sm" href="/docs/operations/commentAnnotations.get" target="_blank">
        What the fields mean
      </Anchor>
    </Stack>
  );
}

const VISIBLE_TO: Record<CommentAnnotation['visibilityConfig']['type'], string> = {
  public: 'everyone who can read the document',
  organizationPrivate: 'members of its organization',
  restricted: 'selected people',
};

const BUILT_IN = [
  { value: 'OPEN', label: 'Open' },
  { value: 'IN_PROGRESS', label: 'In Progress' },
  { value: 'RESOLVED', label: 'Resolved' },
];

function ChangeStatus({ thread }: { thread: CommentAnnotation }) {
  const { apiKey, client } = useKey();
  const cache = useQueryClient();
  const { status, annotationId, metadata } = thread;
  const readOnly = useReadOnly();
  const isBuiltIn = BUILT_IN.some(({ value }) => value === status.id);
  const own = isBuiltIn ? [] : [{ value: status.id, label: status.name ?? status.id }];
  const changing = useMutation({
    mutationFn: (id: string) =>
      client.commentAnnotations.update({
        organizationId: String(metadata.organizationId),
        annotationIds: [annotationId],
        updatedData: { status: { id } },
      }),
    onSuccess: () => {
      done('Status changed.');
      return cache.invalidateQueries({ queryKey: ['feedback', apiKey] });
    },
    onError: failed,
  });
  return (
    <Select
      label="Status"
      description="Webhooks and subscribers are informed of changes."
      data={[...BUILT_IN, ...own]}
      value={status.id}
      disabled={changing.isPending || readOnly !== undefined}
      allowDeselect={false}
      onChange={(id) => id && id !== status.id && changing.mutate(id)}
      maw={260}
    />
  );
}
