import { Anchor, Group, Select, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Act, useReadOnly } from '../../parts/act.tsx';
import { Fold, Json } from '../../parts/code.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { Panel, Section } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './people.ts';
import { ThreadComment } from './thread-comment.tsx';
import { ThreadHistory } from './thread-history.tsx';
import { StatusBadge } from './threads-tab.tsx';

/** One thread with everything in it. */
export function ThreadPanel() {
  const [{ annotation }] = usePageSearch();
  const thread = useRead(
    'commentAnnotations.get',
    annotation ? { annotationIds: [annotation] } : undefined,
    { select: ({ data }) => (data as Array<CommentAnnotation | null>)[0] ?? null },
  );
  return (
    <Panel of="annotation" title="Thread" ending={['why', 'event']}>
      {(_, close) => (
        <Loaded query={thread}>
          {(found) =>
            found ? (
              <Thread thread={found} onDeleted={close} />
            ) : (
              <Empty title="Thread not found">
                It was deleted, or it belongs to another API key.
              </Empty>
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

function Thread({ thread, onDeleted }: { thread: CommentAnnotation; onDeleted: () => void }) {
  const { call } = useKey();
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
        <Act
          run={() =>
            call('commentAnnotations.delete', { organizationId, annotationIds: [annotationId] })
          }
          said="Thread deleted."
          onDone={onDeleted}
          ask={{
            title: `Delete thread ${annotationNumber}?`,
            what: `This deletes ${annotationId} in ${documentId} with its ${comments.length} comments, reactions and notifications. It cannot be undone.`,
            act: 'Delete thread',
          }}
        >
          Delete
        </Act>
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
      <Section title={comments.length === 1 ? '1 comment' : `${comments.length} comments`}>
        {comments.map((comment) => (
          <ThreadComment key={comment.commentId} comment={comment} />
        ))}
      </Section>
      <ThreadHistory place={{ organizationId, documentId, annotationId }} />
      <Fold title="Thread as JSON">
        <Json value={thread} />
      </Fold>
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
  const { call } = useKey();
  const { status, annotationId, metadata } = thread;
  const readOnly = useReadOnly();
  const isBuiltIn = BUILT_IN.some(({ value }) => value === status.id);
  const own = isBuiltIn ? [] : [{ value: status.id, label: status.name ?? status.id }];
  const changing = useMutation({
    mutationFn: (id: string) =>
      call('commentAnnotations.update', {
        organizationId: String(metadata.organizationId),
        annotationIds: [annotationId],
        updatedData: { status: { id } },
      }),
    onSuccess: () => done('Status changed.'),
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
