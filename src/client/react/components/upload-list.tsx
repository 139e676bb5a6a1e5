import type { ReactNode } from 'react';
import { useLabels } from './parts.ts';
import { Failure, FileSize } from './small-parts.tsx';
import type { Uploads } from './use-uploads.ts';

/** The files of a comment that is being written: their progress, or why they failed. */
export function UploadList({ uploads, retry, remove }: Uploads): ReactNode {
  const labels = useLabels();
  if (uploads.length === 0) return null;
  return (
    <ul className="collab-files">
      {uploads.map((upload) => {
        const { key, file, part, attachment, error } = upload;
        return (
          <li key={key}>
            <span>{file.name}</span> {attachment && <FileSize bytes={file.size} />}
            {!attachment && !error && <progress value={part} aria-label={file.name} />}
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
