import type { NewEvent } from '../../platform/events/event-log.ts';
import { PreserializedJson } from '../../platform/json.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { EditorContent } from './editor-content.ts';
import type { PresentedEditor } from './schema.ts';

export interface EditorFacts {
  folderId: string | null;
  version: number;
  updatedAt: Date;
  updatedBy: string | null;
}

/** An editor as `crdt/get` and the event show it. */
export const presentEditor = (
  editorId: string,
  { version, updatedAt, updatedBy }: Omit<EditorFacts, 'folderId'>,
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
  facts: EditorFacts,
  content: EditorContent,
): NewEvent {
  const channels = [`organization:${organizationId}`, `document:${documentId}`];
  if (facts.folderId !== null) channels.push(`folder:${facts.folderId}`);
  if (facts.updatedBy !== null) channels.push(`user:${facts.updatedBy}`);
  const data = presentEditor(editorId, facts, content);
  return { type: 'crdt.update_data', organizationId, documentId, channels, data };
}
