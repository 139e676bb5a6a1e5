import type { InputOf, OutputOf } from '../../api/client.ts';

export type Inspected = OutputOf<'console.liveDocuments.inspect'>;
/** The stored state of an editor. */
export type InspectedEditor = Inspected['editors'][number];
export type EditorPlace = InputOf<'console.liveDocuments.inspect'> & { editorId: string };

/** A size as people read it, such as `12.3 KB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
