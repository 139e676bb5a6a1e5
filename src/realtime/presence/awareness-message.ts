import { IncomingMessage } from '@hocuspocus/server';
import { UpdateEncoderV1 } from 'yjs';
import type { State } from './awareness-identity.ts';

/** What a client says of one Yjs client: its state, or nothing when it is gone. */
export interface ClientState {
  clientId: number;
  clock: number;
  state: State | null;
}

/** Who is there, as clients of Yjs write it. @throws Error when it is malformed. */
export function readAwareness(bytes: Uint8Array): ClientState[] {
  const message = new IncomingMessage(bytes);
  const states: ClientState[] = [];
  for (let left = message.readVarUint(); left > 0; left--) {
    const [clientId, clock] = [message.readVarUint(), message.readVarUint()];
    const state: unknown = JSON.parse(message.readVarString());
    if (typeof state !== 'object' || Array.isArray(state)) throw new Error('This is no state.');
    states.push({ clientId, clock, state: state as State | null });
  }
  return states;
}

/** The same the other way round. */
export function writeAwareness(states: readonly ClientState[]): Uint8Array {
  const encoder = new UpdateEncoderV1();
  encoder.writeLen(states.length);
  for (const { clientId, clock, state } of states) {
    encoder.writeClient(clientId);
    encoder.writeLen(clock);
    encoder.writeString(JSON.stringify(state));
  }
  return encoder.toUint8Array();
}
