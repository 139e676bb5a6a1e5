import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** A request as a webhook receiver got it. */
export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  event: any;
}

export type Respond = (request: Received, response: ServerResponse) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export const respondWith =
  (code: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (_request, response) =>
    void response.writeHead(code, headers).end(body);

/** Never answers. */
export const hang: Respond = () => undefined;

/** A real HTTP server on its own port, closed at the end of the file. */
export async function startReceiver(respond: Respond = respondWith(200)) {
  const server = createServer((request, response) => void take(request, response));
  const receiver = {
    url: await listen(server),
    received: [] as Received[],
    /** Sets the answer to later requests. The first answer is 200. */
    respond,
    server,
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url: path = '' } = request;
    const headers = request.headers as Record<string, string>;
    const received = { method, path, headers, body, event: JSON.parse(body) };
    receiver.received.push(received);
    receiver.respond(received, response);
  };
  return receiver;
}
