import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { carryOutOrders } from '../harness/child.ts';

/**
 * The baseline of deliveries: a loop that signs and posts the same bodies over kept-alive
 * connections, without a database.
 */
const CONCURRENCY = 64;

export interface PostLoopOrder {
  url: string;
  bodies: string[];
}

async function postAll({ url, bodies }: PostLoopOrder): Promise<{ posts: number }> {
  const dispatcher = new Agent();
  const key = randomBytes(32);
  let next = 0;
  const work = async () => {
    while (next < bodies.length) {
      const id = `event-${next}`;
      const body = bodies[next++] ?? '';
      const timestamp = Math.floor(Date.now() / 1000);
      const content = `${id}.${timestamp}.${body}`;
      const signature = createHmac('sha256', key).update(content).digest('base64');
      const answer = await request(url, {
        dispatcher,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': `v1,${signature}`,
        },
        body,
      });
      await answer.body.text();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  await dispatcher.close();
  return { posts: next };
}

carryOutOrders(postAll);
