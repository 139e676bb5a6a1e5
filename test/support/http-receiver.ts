import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from './listen.ts';

interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

export interface HttpReceiver {
  url: string;
  requests: ReceivedRequest[];
  /** The answer to each request. Requests without one hang. */
  answer: (request: ReceivedRequest) => Reply | Promise<Reply>;
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A real HTTP server for JSON on a free port, closed at the end of the file. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: JSON.parse(text) };
    receiver.requests.push(received);
    const { status, headers: own, body } = await receiver.answer(received);
    response.writeHead(status, own).end(body);
  });
  const receiver: HttpReceiver = {
    url: await listen(http),
    requests: [],
    answer: () => ({ status: 202 }),
  };
  return receiver;
}
