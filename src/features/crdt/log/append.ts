import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import type { EditorContent } from '../present-editor.ts';

/** An update to be appended to the log of one editor. */
export interface Append {
  name: LiveDocumentName;
  /** The log to append to; undefined when the update may begin one. */
  logId: string | undefined;
  update: Uint8Array;
  /** How many updates were merged into this one; the version grows by as many. */
  count: number;
  /** The author of the last of these updates. */
  userId: string | undefined;
  /** The version that the update must directly follow; undefined: any. */
  after?: string | undefined;
  /** For a replacement of the whole content: the version that the new content was compared with. */
  replaces?: number | undefined;
  /** The users of Yjs clients that write to this editor for the first time. */
  claims?: ReadonlyMap<number, string> | undefined;
  /**
   * The content after this update, for the event, and the stored version that it builds on. Without
   * it, and where others have written since that version, a due event is published later.
   */
  content: (EditorContent & { builtOn: number }) | undefined;
}

export interface Appended {
  logId: string;
  version: number;
  /** When the last event was written. */
  eventAt: Date | null;
}

/**
 * The reason why an update was refused. `gone`: the editor was deleted, or created again since its
 * log was opened. `overtaken`: the editor is not at the version that the update must follow, or its
 * content was replaced since the version that the update was compared with.
 */
export type Rejection = 'gone' | 'overtaken' | ForeignClients;

/** The update was refused because these users claim Yjs clients that belong to others. */
interface ForeignClients {
  claimedBy: readonly string[];
}
