import type { NewEvent } from '../../platform/events/event-log.ts';
import { PreserializedJson } from '../../platform/json.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { documentChannels } from '../directory/documents/lock-document.ts';
import type { EditorContent } from './editor-content.ts';
import type { PresentedEditor } from './schema.ts';

/** The last change to an editor's content, and the folder of its document. */
interface EditorChange {
  folderId: string | null;
  version: number;
  updatedAt: Date;
  updatedBy: string | null;
}

/** Returns an editor as `crdt/get` and the event show it. */
export const presentEditor = (
  editorId: string,
  { version, updatedAt, updatedBy }: Omit<EditorChange, 'folderId'>,
  { type, json }: EditorContent,
): PresentedEditor => ({
  id: editorId,
  data: new PreserializedJson(json),
  type,
  version,
  lastUpdate: updatedAt.getTime(),
  lastUpdatedBy: updatedBy,
});

export function updateEvent(
  { organizationId, documentId, editorId }: LiveDocumentName,
  change: EditorChange,
  content: EditorContent,
): NewEvent {
  const place = { organizationId, documentId };
  const channels = documentChannels(place, change.folderId, change.updatedBy ?? undefined);
  const data = presentEditor(editorId, change, content);
  return { type: 'crdt.update_data', ...place, channels, data };
}
