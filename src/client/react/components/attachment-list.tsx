import { type ReactNode, useState } from 'react';
import type { ThreadComment } from '../../core/thread.ts';
import { useClient, usePlace } from '../collaboration.tsx';
import { Failure, FileSize } from './small-parts.tsx';

/** An entry of a comment: an uploaded attachment, or a file elsewhere. */
type Entry = Partial<Record<'attachmentId' | 'url' | 'name' | 'size', unknown>>;

/** The attachments of a comment, as links. The server checks access whenever one is opened. */
export function AttachmentList({ comment }: { comment: ThreadComment }): ReactNode {
  const client = useClient();
  const place = usePlace();
  const [failure, setFailure] = useState<Error | null>(null);
  const entries = comment.attachments.filter(isEntry);
  if (entries.length === 0) return null;
  const download = async (attachmentId: string) => {
    setFailure(null);
    try {
      const { url } = await client.attachments.get({ ...place, attachmentId });
      openLink(url);
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <>
      <ul className="collab-files">
        {entries.map(({ attachmentId, url, name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries of callers have no ids
          <li key={at}>
            {typeof attachmentId === 'string' && url === undefined ? (
              <button type="button" onClick={() => download(attachmentId)}>
                {String(name ?? attachmentId)}
              </button>
            ) : (
              <a href={String(url)} target="_blank" rel="noopener noreferrer nofollow ugc">
                {String(name ?? url)}
              </a>
            )}{' '}
            {typeof size === 'number' && <FileSize bytes={size} />}
          </li>
        ))}
      </ul>
      <Failure error={failure} />
    </>
  );
}

/** Callers may store entries of any shape. Only links over HTTP are shown, since others may run scripts. */
function isEntry(entry: unknown): entry is Entry {
  if (typeof entry !== 'object' || entry === null) return false;
  const { attachmentId, url } = entry as Entry;
  return url === undefined
    ? typeof attachmentId === 'string'
    : typeof url === 'string' && /^https?:\/\//i.test(url);
}

/** Opens a link that was fetched after a click. A download closes the new tab by itself. */
function openLink(href: string): void {
  const link = Object.assign(document.createElement('a'), { href, target: '_blank' });
  link.rel = 'noopener';
  link.click();
}
