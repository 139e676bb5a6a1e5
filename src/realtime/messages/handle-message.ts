import {
  type beforeHandleMessagePayload,
  type Connection,
  IncomingMessage,
  MessageType,
} from '@hocuspocus/server';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/logging.ts';
import { nextTurn } from '../../platform/turns.ts';
import type { WorkerPool } from '../../platform/worker-pool.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { LiveContext } from '../live-context.ts';
import type { AwarenessGuard } from '../presence/awareness-guard.ts';
import type { AwarenessRelay } from '../presence/awareness-relay.ts';
import { closing } from '../sockets/refusal.ts';
import { answerSync } from './sync-message.ts';
import type { SyncResponder } from './sync-responder.ts';

/** Room for all states that one connection may show (awareness-relay.ts). More is ignored unread. */
const MAX_AWARENESS_BYTES = 256 * 1024;

interface Parts {
  db: Database;
  clock: Clock;
  store: DocumentStore;
  guard: AwarenessGuard;
  workerPool: WorkerPool;
  answers: SyncResponder;
  relay: AwarenessRelay;
  log: Logger;
}

type Verdict = 'pass' | 'done' | 'malformed';

/**
 * Handles messages in place of Hocuspocus, which logs malformed messages to the console, acknowledges
 * edits that it could not apply, and applies large edits in one turn. Messages of a connection are
 * handled one after the other, so their order is kept.
 */
export async function handleMessage(
  parts: Parts,
  { update: bytes, connection }: beforeHandleMessagePayload<LiveContext>,
): Promise<void> {
  const message = new IncomingMessage(bytes);
  message.readVarString();
  const typeAt = message.decoder.pos;
  if (isOpen(connection)) {
    connection.context.socket?.begin(connection.messageAddress, bytes.length - typeAt);
    await nextTurn();
  }
  // Messages of a closed connection are dropped.
  if (!isOpen(connection)) return silence(bytes.subarray(typeAt));
  const verdict = await judge(parts, connection, message).catch((error: unknown): Verdict => {
    parts.log.info({ err: error }, 'A message of an editor cannot be handled.');
    return 'malformed';
  });
  if (verdict === 'pass') return;
  if (verdict === 'malformed') connection.close(closing('INVALID_ARGUMENT'));
  silence(bytes.subarray(typeAt));
}

async function judge(
  parts: Parts,
  connection: Connection<LiveContext>,
  message: IncomingMessage,
): Promise<Verdict> {
  switch (message.readVarUint()) {
    case MessageType.Sync:
    case MessageType.SyncReply: {
      const kind = message.readVarUint();
      await answerSync(parts, connection, { kind, payload: message.readVarUint8Array() });
      return 'done';
    }
    case MessageType.Awareness: {
      const states = message.readVarUint8Array();
      if (states.length <= MAX_AWARENESS_BYTES) parts.relay.receive(connection, states);
      return 'done';
    }
    case MessageType.CLOSE:
      return 'pass';
    // A repeated token, and stateless messages between clients, have no effect. Awareness is sent on
    // connecting and on every change, so a query for it needs no answer.
    case MessageType.Auth:
    case MessageType.Stateless:
    case MessageType.QueryAwareness:
      return 'done';
    default:
      return 'malformed';
  }
}

const OPEN = 1;

const isOpen = (connection: Connection<LiveContext>): boolean =>
  connection.document.hasConnection(connection) && connection.webSocket.readyState === OPEN;

/**
 * Turns a message into one without effect, since Hocuspocus handles it after this hook in any case.
 * Each message has room for that (tenant-socket.ts).
 */
function silence(message: Uint8Array): void {
  message.set([MessageType.Stateless, 0]);
}
