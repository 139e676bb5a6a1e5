import { CollaborationError } from '../client/index.ts';
import { createServerClient } from '../client/server.ts';
import { StartError } from '../platform/start-error.ts';
import { printResult } from './report.ts';
import { type KeyOptions, keyTargetOf } from './target.ts';

export interface MomentOptions extends KeyOptions {
  to?: string;
  organization?: string;
  document?: string;
  editor?: string;
}

/** Restores the editors of a document to a moment, by a running server, so that open editors see it. */
export async function restoreMoment(options: MomentOptions): Promise<void> {
  const { to = '', organization: organizationId, document: documentId, editor } = options;
  const at = Date.parse(to);
  if (Number.isNaN(at)) throw new StartError(`${to} is no time such as 2026-11-26T09:30:00Z.`);
  if (!organizationId || !documentId) {
    throw new StartError('--to restores one document: give --organization and --document.');
  }
  const { crdt } = createServerClient(keyTargetOf(options));
  const place = { organizationId, documentId };
  const editorIds = editor ? [editor] : (await crdt.get(place)).map(({ id }) => id);
  if (editorIds.length === 0) throw new StartError('The document has no live content.');
  const editors: Array<{ editorId: string; problem?: string }> = [];
  for (const editorId of editorIds) {
    try {
      await crdt.versions.restore({ ...place, editorId, at });
      editors.push({ editorId });
    } catch (error) {
      if (!(error instanceof CollaborationError)) throw error;
      editors.push({ editorId, problem: error.message });
    }
  }
  const lines = editors.map(
    ({ editorId, problem }) =>
      `${editorId}: ${problem ?? `restored to ${new Date(at).toISOString()}; what was there is a version now`}`,
  );
  printResult({ at, editors }, options, lines.join('\n'));
  if (editors.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}
