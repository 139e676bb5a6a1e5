import { Badge, Group, Stack, Text } from '@mantine/core';
import type { Comment } from '../../../../client/index.ts';
import { Code, Fold, Note, nameOf, TimeNote } from '../../parts/basics.tsx';
import { StoredLink } from '../../parts/links.tsx';

/** Shows a comment as text. Its HTML comes from customers, so it is never rendered. */
export function ThreadComment({ comment }: { comment: Comment }) {
  const { commentText, commentHtml, from, createdAt, agent, taggedUserContacts } = comment;
  return (
    <article className="console-box" aria-label={`Comment ${comment.commentId}`}>
      <Stack gap={4}>
        <Group gap="xs">
          <Text fw={600}>{nameOf(from)}</Text>
          {agent && <Badge>agent {agent.name ?? agent.agentId}</Badge>}
          {comment.isDraft && <Badge color="gray">draft</Badge>}
          {comment.status === 'updated' && <Badge color="gray">edited</Badge>}
          <TimeNote at={createdAt} />
        </Group>
        <Text className="console-text">{commentText || 'No plain text.'}</Text>
        {taggedUserContacts.length > 0 && (
          <Note size="xs">Mentions {taggedUserContacts.map(nameOf).join(', ')}</Note>
        )}
        {comment.attachments.map((attachment, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attachments have no ids, and stay in place
          <Attachment key={index} attachment={attachment} />
        ))}
        <Group gap={6}>
          {comment.reactionAnnotations.map(({ annotationId, icon, fromUsers }) => (
            <Badge key={annotationId} color="gray">
              {`${icon} ${fromUsers.map((each) => nameOf(each.from)).join(', ')}`}
            </Badge>
          ))}
        </Group>
        {commentHtml && (
          <Fold title="HTML">
            <Code text={commentHtml} label="HTML of the comment" />
          </Fold>
        )}
      </Stack>
    </article>
  );
}

/** An attachment. Customers may store any value here, but most store an object with a name and a URL. */
function Attachment({ attachment }: { attachment: unknown }) {
  const { name, fileName, url } = Object(attachment) as Record<string, unknown>;
  return (
    <Text size="xs">
      Attachment: {String(name ?? fileName ?? url ?? 'unnamed')}{' '}
      <StoredLink address={url}>Open</StoredLink>
    </Text>
  );
}
