import { Group } from '@mantine/core';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { firstOf, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Fold, Json, Loaded, nameOf, Time } from '../../parts/basics.tsx';
import { FormButton } from '../../parts/form.tsx';
import { DocsLink, PageLink } from '../../parts/links.tsx';
import { Panel, Section } from '../../parts/panel.tsx';
import { ThreadComment } from './thread-comment.tsx';
import { ThreadHistory } from './thread-history.tsx';
import { STATUSES, StatusBadge, suggestedEditOf } from './threads-tab.tsx';

export function ThreadPanel() {
  const [{ annotation }] = usePageSearch();
  const thread = useRead(
    'commentAnnotations.get',
    annotation ? { annotationIds: [annotation] } : undefined,
    { select: ({ data }) => firstOf({ data: data as Array<CommentAnnotation | null> }) },
  );
  return (
    <Panel
      parameter="annotation"
      title={thread.data ? `Thread ${thread.data.annotationNumber}` : 'Thread'}
      clearedParameters={['why', 'event']}
    >
      {(_, close) => (
        <Loaded query={thread} noun="Thread">
          {(found) => <Thread thread={found} onDeleted={close} />}
        </Loaded>
      )}
    </Panel>
  );
}

function Thread({ thread, onDeleted }: { thread: CommentAnnotation; onDeleted: () => void }) {
  const { annotationId, annotationNumber, metadata, comments, from, visibilityConfig } = thread;
  const organizationId = String(metadata.organizationId);
  const documentId = String(metadata.documentId);
  const subscribers = Object.values(thread.subscribedUsers).map(({ user }) => nameOf(user));
  return (
    <>
      <Group justify="space-between">
        <StatusBadge thread={thread} />
        <Group gap="xs">
          <ChangeStatus thread={thread} />
          <ActionButton
            label="Delete"
            run={(call) =>
              call('commentAnnotations.delete', { organizationId, annotationIds: [annotationId] })
            }
            notice="Thread deleted."
            onDone={onDeleted}
            question={`Delete thread ${annotationNumber}?`}
            consequences={`This deletes ${annotationId} in ${documentId} with its comments, reactions and notifications. This cannot be undone.`}
            confirmLabel="Delete thread"
          />
        </Group>
      </Group>
      <Facts
        facts={{
          ID: <CopyText text={annotationId} />,
          Organization: (
            <PageLink
              page="directory"
              search={{ organization: organizationId }}
              text={organizationId}
            />
          ),
          Document: (
            <PageLink
              page="live-documents"
              search={{ organization: organizationId, document: documentId }}
              text={documentId}
            />
          ),
          By: nameOf(from),
          'Suggested edit': suggestedEditOf(thread),
          Started: <Time at={thread.createdAt} />,
          Changed: <Time at={thread.lastUpdated} />,
          'Assigned to': thread.assignedTo && nameOf(thread.assignedTo),
          'Resolved by': thread.resolvedByUserId,
          Priority: thread.priority && (thread.priority.name ?? thread.priority.id),
          'Visible to': VISIBLE_TO[visibilityConfig.type],
          Location: thread.locationId,
          Agent: thread.agent?.agentId,
          Subscribers: subscribers.join(', ') || undefined,
        }}
      />
      <Section title={comments.length === 1 ? '1 comment' : `${comments.length} comments`}>
        {comments.map((comment) => (
          <ThreadComment key={comment.commentId} comment={comment} />
        ))}
      </Section>
      <ThreadHistory threadRef={{ organizationId, documentId, annotationId }} />
      <Fold title="Thread as JSON">
        <Json value={thread} />
      </Fold>
      <DocsLink page="operations/commentAnnotations.get" text="What the fields mean" />
    </>
  );
}

const VISIBLE_TO: Record<CommentAnnotation['visibilityConfig']['type'], string> = {
  public: 'everyone who can read the document',
  organizationPrivate: 'members of its organization',
  restricted: 'selected people',
};

function ChangeStatus({ thread }: { thread: CommentAnnotation }) {
  const { status, annotationId, metadata } = thread;
  const customStatus = Object.hasOwn(STATUSES, status.id)
    ? {}
    : { [status.id]: status.name ?? status.id };
  return (
    <FormButton
      label="Change status"
      fields={{
        name: 'id',
        label: 'Status',
        description: 'A change is sent to webhooks and to subscribers.',
        options: { ...STATUSES, ...customStatus },
        initial: status.id,
        required: true,
      }}
      submit={(call, changed: { id: string }) =>
        call('commentAnnotations.update', {
          organizationId: String(metadata.organizationId),
          annotationIds: [annotationId],
          updatedData: { status: changed },
        })
      }
      notice="Status changed."
    />
  );
}
