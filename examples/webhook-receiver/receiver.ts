import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'collaboration-client/webhooks';

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;

/** The ids of handled events: all attempts to deliver an event have the same id. In your app, use a database. */
const handledIds = new Set<string>();

createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    const event = await verifyWebhook(body, request.headers, WEBHOOK_SECRET);
    if (!handledIds.has(event.id)) {
      handledIds.add(event.id);
      if (event.type === 'comment_annotation.add') {
        console.log(`New thread: ${event.data.comments[0]?.commentText}`);
      } else {
        console.log(event.type);
      }
    }
    response.writeHead(204).end();
  } catch (error) {
    const isForged = error instanceof WebhookVerificationError;
    response.writeHead(isForged ? 400 : 500).end();
    console.error(String(error));
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${PORT}`));
