import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import type { Comment } from '../../../../client/index.ts';
import { Code } from '../../parts/code.tsx';
import { safeAddress } from '../../parts/safe-address.ts';
import { Time } from '../../parts/time.tsx';
import { nameOf } from './people.ts';

/** A comment as text: its HTML is what a customer stored, and is not run here. */
export function ThreadComment({ comment }: { comment: Comment }) {
  const { commentText, commentHtml, from, createdAt, agent, taggedUserContacts } = comment;
  return (
    <article className="feedback-comment" aria-label={`Comment ${comment.commentId}`}>
      <Stack gap={4}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {nameOf(from)}
          </Text>
          {agent && <Badge tt="none">agent {agent.name ?? agent.agentId}</Badge>}
          {comment.isDraft && (
            <Badge color="gray" tt="none">
              draft
            </Badge>
          )}
          {comment.status === 'updated' && (
            <Badge color="gray" tt="none">
              edited
            </Badge>
          )}
          <Text size="xs" c="dimmed">
            <Time at={createdAt} />
          </Text>
        </Group>
        <Text size="sm" className="feedback-text">
          {commentText || 'No plain text.'}
        </Text>
        {taggedUserContacts.length > 0 && (
          <Text size="xs" c="dimmed">
            Mentions {taggedUserContacts.map(nameOf).join(', ')}
          </Text>
        )}
        {comment.attachments.map((attachment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no ids, and stay in place
          <Attachment key={index} attachment={attachment} />
        ))}
        <Reactions comment={comment} />
        {commentHtml && (
          <details>
            <summary>
              <Text span size="xs" c="dimmed">
                HTML
              </Text>
            </summary>
            <Code text={commentHtml} label="HTML of the comment" />
          </details>
        )}
      </Stack>
    </article>
  );
}

function Reactions({ comment }: { comment: Comment }) {
  if (comment.reactionAnnotations.length === 0) return null;
  return (
    <Group gap={6}>
      {comment.reactionAnnotations.map(({ annotationId, icon, fromUsers }) => (
        <Badge key={annotationId} color="gray" tt="none">
          {`${icon} ${fromUsers.map(({ from }) => nameOf(from)).join(', ')}`}
        </Badge>
      ))}
    </Group>
  );
}

/** Attachments are free objects of the customer, mostly with a name and an address. */
function Attachment({ attachment }: { attachment: unknown }) {
  const { name, fileName, url } = Object(attachment) as Record<string, unknown>;
  const shown = String(name ?? fileName ?? url ?? 'Attachment');
  const address = safeAddress(url);
  if (!address) return <Text size="xs">Attachment: {shown}</Text>;
  return (
    <Text size="xs">
      Attachment:{' '}
      <Anchor href={address} target="_blank" rel="noopener noreferrer" inherit>
        {shown}
      </Anchor>
    </Text>
  );
}
