/** A message from one process to those that have a document open. */
export interface PeerMessage {
  kind: 'update' | 'awareness' | 'request';
  /** The key of the document. */
  key: string;
  /** The id of the process that sent the message. */
  sender: string;
  /** By kind: a Yjs update, an awareness update, or the state vector of the requesting process. */
  content: Uint8Array;
}

const NEWLINE = 10;

/** Encodes a message as a line of JSON, followed by the content. */
export const encodeMessage = ({ content, ...head }: PeerMessage): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);

export function decodeMessage(message: Buffer): PeerMessage {
  const end = message.indexOf(NEWLINE);
  const head: Omit<PeerMessage, 'content'> = JSON.parse(message.toString('utf8', 0, end));
  return { ...head, content: message.subarray(end + 1) };
}
