import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'undici';
import { beforeEach, expect, it, vi } from 'vitest';
import { createOutboundAgent, outboundProblem } from '../../../src/platform/outbound/agent.ts';
import { listen } from '../../support/listen.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

/** The type of queries for IPv4 addresses. */
const A = 1;
const RESPONSE = 0x8180;
const UNKNOWN_NAME = 0x8183;

/** The names for which the name server was asked. */
const asked = new Set<string>();

/** The answers for IPv4 addresses, as the records of a response. */
const recordsOf = (...addresses: number[][]) =>
  addresses.map((address) => [0xc0, 12, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, ...address]);

const LOOPBACK = recordsOf([127, 0, 0, 1]);
const MIXED = recordsOf([127, 0, 0, 1], [10, 0, 0, 1]);

/** Answers queries for `known…` with 127.0.0.1, for `known-mixed…` with 10.0.0.1 as well, and none about `silent…`. */
async function startNameServer(): Promise<string> {
  const socket = createSocket('udp4', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const name = query.subarray(13, end - 5).toString();
    asked.add(name);
    if (name.startsWith('silent')) return;
    const isKnown = name.startsWith('known');
    const hasAddress = isKnown && query.readUInt16BE(end - 4) === A;
    const known = name.startsWith('known-mixed') ? MIXED : LOOPBACK;
    const records = hasAddress ? known : [];
    const response = Buffer.concat([query.subarray(0, end), Buffer.from(records.flat())]);
    response.writeUInt16BE(isKnown ? RESPONSE : UNKNOWN_NAME, 2);
    response.writeUInt16BE(records.length, 6);
    response.writeUInt32BE(0, 8);
    socket.send(response, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  whenFileEnds(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const nameServer = await startNameServer();
const { Resolver } = dns;
beforeEach(() => {
  vi.spyOn(dns, 'Resolver').mockImplementation(
    class extends Resolver {
      constructor(...options: ConstructorParameters<typeof Resolver>) {
        super(...options);
        this.setServers([nameServer]);
      }
    },
  );
});
const { port } = new URL(await listen(createServer((_, response) => response.end('reached'))));
const dispatcher = createOutboundAgent(['127.0.0.0/8']);
whenFileEnds(() => dispatcher.destroy());

const get = async (host: string): Promise<string> => {
  const { body } = await request(`http://${host}:${port}/`, { dispatcher });
  return body.text();
};

it('names whose name servers are silent hold up no other name', async () => {
  for (let n = 0; n < 20; n++) get(`silent-${n}.example`).catch(() => undefined);
  expect(await get('known.example')).toBe('reached');
  // The hosts file has this name.
  expect(await get('localhost')).toBe('reached');
  expect([...asked].some((name) => name.startsWith('silent-19'))).toBe(true);
});

it('a name that leads to a private address is refused when it is used and before', async () => {
  expect(await outboundProblem([], 'http://known.example/')).toContain('are not allowed');
  const closed = createOutboundAgent([]);
  whenFileEnds(() => closed.destroy());
  const call = request(`http://known.example:${port}/`, { dispatcher: closed });
  await expect(call).rejects.toThrow(/are not allowed/);
  await expect(get('known-mixed.example')).rejects.toThrow(/are not allowed/);
});
