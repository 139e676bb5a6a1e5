import type { Server } from 'node:http';
import { type DirectConnection, Hocuspocus } from '@hocuspocus/server';
import type { Pool } from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import { applyUpdate } from 'yjs';

interface Input {
  organizationId: string;
  documentId: string;
  editorId: string;
  data: string;
}

const hocuspocus = new Hocuspocus({ quiet: true });
const connections = new Map<string, Promise<DirectConnection>>();

/** Hocuspocus with default settings, in the process of the routes. It does not authenticate. */
export function serveEditors(http: Server, pool: Pool): void {
  hocuspocus.configure({
    async onLoadDocument({ document, documentName }) {
      const [organizationId, documentId, editorId] = documentName.split('/');
      const { rows } = await pool.query<{ snapshot: Buffer }>({
        name: 'load-content',
        text: `SELECT snapshot FROM crdt_documents
               WHERE organization_id = $1 AND document_id = $2 AND editor_id = $3`,
        values: [organizationId, documentId, editorId],
      });
      if (rows[0]) applyUpdate(document, rows[0].snapshot);
    },
  });
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (accepted: WebSocket) => {
      const client = hocuspocus.handleConnection(accepted, new Request('http://localhost/'));
      accepted.on('message', (data: Buffer) => client.handleMessage(data));
      accepted.on('close', (code, reason) => client.handleClose({ code, reason: String(reason) }));
    });
  });
}

/** Changes the live document, which stays open, and stores nothing. */
export async function updateContent(input: Input) {
  const { organizationId, documentId, editorId, data } = input;
  const name = `${organizationId}/${documentId}/${editorId}`;
  const known = connections.get(name) ?? hocuspocus.openDirectConnection(name);
  connections.set(name, known);
  const connection = await known;
  await connection.transact((document) => {
    const text = document.getText('content');
    const { at, removed, added } = difference(text.toString(), data);
    text.delete(at, removed);
    text.insert(at, added);
  });
  return { status: 'success', message: 'CRDT data updated successfully.' };
}

/** The parts of both texts without their common prefix and suffix. */
function difference(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at++;
  let same = 0;
  while (same < shorter - at && before.at(-1 - same) === after.at(-1 - same)) same++;
  const added = after.slice(at, after.length - same);
  return { at, removed: before.length - at - same, added };
}
