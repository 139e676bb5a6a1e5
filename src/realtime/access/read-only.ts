import { OutgoingMessage } from '@hocuspocus/server';
import type { LiveConnection } from '../live-connection.ts';

/** A close code of Hocuspocus after which clients reconnect. */
const RESET_CONNECTION = 4205;

/**
 * Changes whether a connection may write. A client that loses the right is notified, so that its editor
 * can show this. A client that regains the right is made to reconnect: only then does it send the refused
 * edits again.
 */
export function setReadOnly(connection: LiveConnection, readOnly: boolean): void {
  if (connection.readOnly === readOnly) return;
  if (readOnly) {
    connection.readOnly = true;
    const message = new OutgoingMessage(connection.messageAddress).writeAuthenticated(true);
    connection.send(message.toUint8Array());
  } else {
    connection.channel.socket.close(RESET_CONNECTION, 'Editing is allowed.');
  }
}

/** Makes editors read-only while the storage quota of their key is used up. */
export function applyStorageQuota(connection: LiveConnection, isUsedUp: boolean): void {
  const { session } = connection;
  if (session.isStorageUsedUp === isUsedUp) return;
  session.isStorageUsedUp = isUsedUp;
  if (!session.isEditor) return;
  setReadOnly(connection, isUsedUp);
  if (isUsedUp) notifyStorageUsedUp(connection);
}

/** Sends a stateless message, which an application may show to its user. */
export function notifyStorageUsedUp(connection: LiveConnection): void {
  connection.sendStateless(JSON.stringify({ status: 'RESOURCE_EXHAUSTED', quota: 'storage' }));
}
