import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import type { Client } from 'pg';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { eventually } from '../../support/eventually.ts';
import type { Call } from './benchmark.ts';
import { TENANT } from './credentials.ts';
import { DOCUMENTS, fillBy, ORGANIZATION } from './fill.ts';
import { HttpConnection } from './http-connection.ts';

const EDITOR = 'body';
const README = path.join(import.meta.dirname, '../../../node_modules/yjs/README.md');

/** Text of this many characters, with words that compress about as well as prose. */
export function prose(length: number): string {
  let content = '';
  while (content.length < length) content += `${randomBytes(6).toString('base64url')} `;
  return content.slice(0, length);
}

/** Text that people have written, from the 29 KB description of a library. */
export const writtenText = (): string => readFileSync(README, 'utf8').slice(0, 29_000);

/** The same text with another word in the place of one, which differs for each `n`. */
export function withOtherWord(text: string, n: number): string {
  const words = text.split(' ');
  words[(n * 7_919) % words.length] = `word-${n}`;
  return words.join(' ');
}

/** Creates documents, each with an editor that holds this text. */
export async function prepareEditors(
  database: Client,
  { documents, text }: { documents: number; text: string },
): Promise<void> {
  const doc = new Y.Doc();
  doc.getText('content').insert(0, text);
  await fillBy(database, documents, [ORGANIZATION, DOCUMENTS]);
  await database.query(
    `INSERT INTO crdt_documents (tenant_id, organization_id, document_id, editor_id, log_id,
       content_key, content_type, snapshot, snapshot_version)
     SELECT tenant_id, organization_id, document_id, $2, gen_random_uuid(), 'content', 'text', $3, 1
     FROM documents WHERE tenant_id = $1`,
    [TENANT, EDITOR, Buffer.from(Y.encodeStateAsUpdate(doc))],
  );
}

export const updateCall = (documentId: string, data: string): Call => ({
  path: '/v2/crdt/update',
  data: { organizationId: 'acme', documentId, editorId: EDITOR, type: 'text', data },
});

/** A token of a user who may write in all documents of the organization. */
export async function organizationToken(url: string): Promise<string> {
  const connection = await HttpConnection.open(url);
  const resources = [{ type: 'organization', id: 'acme', organizationId: 'acme' }];
  const data = { userId: 'ada', permissions: { resources } };
  const { body } = await connection.post({ path: '/v2/auth/generate_token', data });
  connection.close();
  return JSON.parse(body).result.data.token;
}

/** Connects an editor as the owner of a token, whom the baseline does not ask for, and waits for the content. */
export async function openEditor(url: string, documentId: string, token: string) {
  const websocketProvider = new HocuspocusProviderWebsocket({
    url: `${url.replace('http', 'ws')}/collaboration`,
    WebSocketPolyfill: WebSocket,
  });
  const name = `acme/${documentId}/${EDITOR}`;
  const document = new Y.Doc();
  const provider = new HocuspocusProvider({ websocketProvider, name, token, document });
  const synced = new Promise((resolve) => provider.on('synced', resolve));
  provider.attach();
  await synced;
  return {
    doc: document,
    text: document.getText('content'),
    /** Resolves once the server has confirmed all edits. */
    confirmed: (deadlineMs: number) =>
      eventually(() => {
        if (provider.hasUnsyncedChanges) throw new Error('Edits are not confirmed.');
      }, deadlineMs),
    close() {
      provider.destroy();
      websocketProvider.destroy();
    },
  };
}
