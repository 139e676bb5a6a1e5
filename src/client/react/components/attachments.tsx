import {
  type ClipboardEvent,
  type DragEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Attachment } from '../../../api/contract.ts';
import type { ThreadComment } from '../../core/thread.ts';
import { uploadFile } from '../../core/upload.ts';
import { randomId } from '../../random-id.ts';
import { useClient, useDocumentRef } from '../collaboration.tsx';
import { useLabels } from './parts.ts';
import { Failure, FileSize } from './small-parts.tsx';

/** A file for a comment that is being written, and the state of its upload. */
interface Upload {
  key: string;
  file: File;
  /** The part that has been sent, from 0 to 1. */
  progress: number;
  /** Set once the upload is complete. */
  attachment?: Attachment;
  error?: Error;
}

/** Uploads the files of a comment to the document. Uploads stop when the component leaves the page. */
export function useUploads() {
  const client = useClient();
  const documentRef = useDocumentRef();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const controllers = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const running = controllers.current;
    return () => {
      for (const controller of running.values()) controller.abort();
    };
  }, []);
  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  const start = async ({ key, file }: Upload) => {
    const controller = new AbortController();
    controllers.current.set(key, controller);
    const onProgress = (progress: number) => change(key, { progress });
    try {
      const { signal } = controller;
      const attachment = await uploadFile(client, documentRef, file, { onProgress, signal });
      change(key, { attachment });
    } catch (error) {
      if (!controller.signal.aborted) change(key, { error: error as Error });
    }
    controllers.current.delete(key);
  };
  return {
    uploads,
    setUploads,
    add(files: Iterable<File>): void {
      const added = Array.from(files, (file) => ({ key: randomId(), file, progress: 0 }));
      setUploads((all) => [...all, ...added]);
      for (const upload of added) void start(upload);
    },
    retry({ key, file }: Upload): void {
      const upload = { key, file, progress: 0 };
      setUploads((all) => all.map((each) => (each.key === key ? upload : each)));
      void start(upload);
    },
    remove({ key, attachment }: Upload): void {
      controllers.current.get(key)?.abort();
      setUploads((all) => all.filter((each) => each.key !== key));
      // Otherwise, the file would stay in the document without a comment.
      const { attachmentId } = attachment ?? {};
      if (attachmentId) client.attachments.delete({ ...documentRef, attachmentId }).catch(() => {});
    },
  };
}

type Uploads = ReturnType<typeof useUploads>;

/** A drawn paperclip: on a system without an emoji font, 📎 would be shown as a box. */
const PAPERCLIP = (
  <svg
    viewBox="0 0 24 24"
    width="1em"
    height="1em"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    aria-hidden="true"
  >
    <path d="m20.5 11.5-8.5 8.5a5 5 0 0 1-7-7l9-9a3.4 3.4 0 0 1 4.8 4.8l-9 9a1.7 1.7 0 0 1-2.4-2.4l8.2-8.2" />
  </svg>
);

/** A button with which the user chooses files for a comment. */
export function AttachButton({ add }: Uploads): ReactNode {
  const { attach } = useLabels();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="collab-quiet"
        aria-label={attach}
        onClick={() => input.current?.click()}
      >
        {PAPERCLIP}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add(target.files ?? []);
          // Otherwise, choosing the same file again would have no effect.
          target.value = '';
        }}
      />
    </>
  );
}

/** Handlers that attach files when they are dropped on the form, or pasted without text. */
export const dropHandlers = ({ add }: Uploads) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    const { files } = event.dataTransfer;
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  },
  onPaste: (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData;
    if (files.length === 0 || types.includes('text/plain')) return;
    event.preventDefault();
    add(files);
  },
});

/** The files of a comment that is being written: their progress, or why they failed. */
export function UploadList({ uploads, retry, remove }: Uploads): ReactNode {
  const labels = useLabels();
  if (uploads.length === 0) return null;
  return (
    <ul className="collab-files">
      {uploads.map((upload) => {
        const { key, file, progress, attachment, error } = upload;
        return (
          <li key={key}>
            <span>{file.name}</span> {attachment && <FileSize bytes={file.size} />}
            {!attachment && !error && <progress value={progress} aria-label={file.name} />}
            {error && (
              <button type="button" className="collab-quiet" onClick={() => retry(upload)}>
                {labels.retry}
              </button>
            )}
            <button
              type="button"
              className="collab-quiet"
              aria-label={`${labels.removeFile}: ${file.name}`}
              onClick={() => remove(upload)}
            >
              ×
            </button>
            <Failure error={error ?? null} />
          </li>
        );
      })}
    </ul>
  );
}

/** An entry in a comment's `attachments`: an uploaded attachment, or a link to a file elsewhere. */
type Entry = Partial<Record<'attachmentId' | 'url' | 'name' | 'size', unknown>>;

/** The attachments of a comment, as links. The server checks access each time an attachment is opened. */
export function AttachmentList({ comment }: { comment: ThreadComment }): ReactNode {
  const client = useClient();
  const documentRef = useDocumentRef();
  const [failure, setFailure] = useState<Error | null>(null);
  const entries = comment.attachments.filter(isEntry);
  if (entries.length === 0) return null;
  const download = async (attachmentId: string) => {
    setFailure(null);
    try {
      const { url } = await client.attachments.get({ ...documentRef, attachmentId });
      openLink(url);
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <>
      <ul className="collab-files">
        {entries.map(({ attachmentId, url, name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries may have no ids
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

/** Whether an entry can be shown. Callers may store anything, and links that are not over HTTP could run scripts. */
function isEntry(entry: unknown): entry is Entry {
  if (typeof entry !== 'object' || entry === null) return false;
  const { attachmentId, url } = entry as Entry;
  return url === undefined
    ? typeof attachmentId === 'string'
    : typeof url === 'string' && /^https?:\/\//i.test(url);
}

/** Opens a link in a new tab. If the link is a download, the browser closes this tab by itself. */
function openLink(href: string): void {
  const link = Object.assign(document.createElement('a'), { href, target: '_blank' });
  link.rel = 'noopener';
  link.click();
}
