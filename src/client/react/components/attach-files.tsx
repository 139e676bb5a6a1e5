import { type ClipboardEvent, type DragEvent, type ReactNode, useRef } from 'react';
import { useLabels } from './parts.ts';
import type { Uploads } from './use-uploads.ts';

/** Chooses files for a comment. */
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
        📎
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add(target.files ?? []);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}

/** Attaches files that are dropped on the form, or pasted without a text. */
export const dropping = ({ add }: Uploads) => ({
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
