import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import type { EditorContent } from '../editor-content.ts';

/** Updates to append together to one editor's log. */
export interface Append {
  name: LiveDocumentName;
  /** The log to append to; undefined if the updates may begin one. */
  logId: string | undefined;
  /** The updates, the oldest first. */
  updates: readonly Uint8Array[];
  /** How many updates these were merged from. The version grows by this number. */
  count: number;
  /** The author of the last update. */
  userId: string | undefined;
  /** The version of the content in which the updates were made. */
  baseVersion: number;
  /** The changes after `baseVersion` that make a replacement fail. Undefined for edits, which merge with any change. */
  conflictsWith?: 'replacements' | 'anything' | undefined;
  /** For Yjs clients that write to this editor for the first time, the users they belong to. */
  claims?: ReadonlyMap<number, string> | undefined;
  /**
   * The content after these updates, for the event. Without it, or when others have written since
   * `baseVersion`, the event is published later.
   */
  content: EditorContent | undefined;
}

export interface Appended {
  logId: string;
  version: number;
  /** When the last event of the editor was published. */
  eventAt: Date | null;
}

/**
 * The reason why an update was refused. `gone`: the editor was deleted, and perhaps created again, after
 * its log was opened. `overtaken`: a conflicting change was stored first.
 */
type Rejection = 'gone' | 'overtaken' | ForeignClients;

/** The update was refused because these users claim Yjs clients that belong to others. */
interface ForeignClients {
  claimedBy: readonly string[];
}

export type AppendOutcome = Appended | Rejection;

export const isAppended = (outcome: AppendOutcome | undefined): outcome is Appended =>
  typeof outcome === 'object' && 'version' in outcome;
