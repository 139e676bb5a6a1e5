import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from 'pg';
import * as Y from 'yjs';
import type { Call } from './benchmark.ts';
import { TENANT } from './credentials.ts';
import { HttpConnection } from './http-connection.ts';
import { RawEditor } from './raw-editor.ts';

export const EDITOR = 'body';
const WORD_AT = 1_000;

/** Text of this many characters, with words that compress about as well as prose. */
export function prose(length: number): string {
  let content = '';
  while (content.length < length) content += `${randomBytes(6).toString('base64url')} `;
  return content.slice(0, length);
}

/** Text that people have written, from the 29 KB description of a library. */
export const writtenText = (): string =>
  readFileSync(path.join(import.meta.dirname, '../../../node_modules/yjs/README.md'), 'utf8').slice(
    0,
    29_000,
  );

/** The same text with another word in the place of one, which differs for each `n`. */
export function withOtherWord(text: string, n: number): string {
  const words = text.split(' ');
  words[(n * 7_919) % words.length] = `word-${n}`;
  return words.join(' ');
}

/** The same text with one word that differs for each `n`. */
export const withWord = (text: string, n: number): string =>
  `${text.slice(0, WORD_AT)}word-${n}${text.slice(WORD_AT)}`;

/** Creates documents, each with an editor that holds this text. */
export async function prepareEditors(
  database: Client,
  { documents, text }: { documents: number; text: string },
): Promise<void> {
  const doc = new Y.Doc();
  doc.getText('content').insert(0, text);
  await database.query(
    `INSERT INTO organizations (tenant_id, organization_id, organization_name)
     VALUES ($1, 'acme', 'acme')`,
    [TENANT],
  );
  await database.query(
    `INSERT INTO documents (tenant_id, organization_id, document_id, document_name, metadata)
     SELECT $1, 'acme', 'document-' || n, 'Document ' || n, '{}'
     FROM generate_series(0, $2::int - 1) AS n`,
    [TENANT, documents],
  );
  await database.query(
    `INSERT INTO crdt_documents (tenant_id, organization_id, document_id, editor_id, log_id,
       content_key, content_type, snapshot, snapshot_version)
     SELECT tenant_id, organization_id, document_id, $2, gen_random_uuid(), 'content', 'text', $3, 1
     FROM documents WHERE tenant_id = $1`,
    [TENANT, EDITOR, Buffer.from(Y.encodeStateAsUpdate(doc))],
  );
}

export const updateCall = (
  documentId: string,
  type: string,
  data: string,
  editorId = EDITOR,
): Call => ({
  path: '/v2/crdt/update',
  data: { organizationId: 'acme', documentId, editorId, type, data },
});

/** A token of a user who may write in all documents of the organization. */
export async function organizationToken(url: string, userId: string): Promise<string> {
  const connection = await HttpConnection.open(url);
  const resources = [{ type: 'organization', id: 'acme', organizationId: 'acme' }];
  const data = { userId, permissions: { resources } };
  const { body } = await connection.post({ path: '/v2/auth/generate_token', data });
  connection.close();
  return JSON.parse(body).result.data.token;
}

/** Connects an editor to our server as a user who may write. */
export async function openTo(url: string, documentId: string, editorId = EDITOR) {
  const connection = await HttpConnection.open(url);
  const resources = [{ type: 'document', id: documentId, organizationId: 'acme' }];
  const data = { userId: 'ada', permissions: { resources } };
  const { body } = await connection.post({ path: '/v2/auth/generate_token', data });
  connection.close();
  const { token } = JSON.parse(body).result.data;
  return RawEditor.open(url, `acme/${documentId}/${editorId}`, token);
}
