import type { useKey } from '../../api/key.ts';

type Own = ReturnType<typeof useKey>['own'];

type Inspected = Awaited<ReturnType<Own['liveDocuments']['inspect']['query']>>;

/** The stored state of an editor. */
export type InspectedEditor = Inspected['editors'][number];

export interface EditorPlace {
  organizationId: string;
  documentId: string;
  editorId: string;
}
