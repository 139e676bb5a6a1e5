import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { request } from 'undici';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AddressFilter } from '../../../src/platform/outbound/addresses.ts';
import { createOutboundAgent } from '../../../src/platform/outbound/agent.ts';
import { listen } from '../../support/listen.ts';
import { whenTestEnds } from '../../support/when-file-ends.ts';

/** A self-signed certificate for 127.0.0.1 with its key, which protect nothing. */
const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWa9E20UdqI6ak2da
NJJdGqi38EG3BiqYUKyOgjskuC+hRANCAATANH6PJff/qNxBcvSlf80D3WkaMw2B
C0FQ1v7CV4qjsqGVKiznJKycUX56zGMBK244mA6n9CS0pXpduWANS+cD
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUVNw5nyVdRoxIZL++s+T7H0ynWKIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTIwMzYxMFoYDzIxMjYxMDI4
MjAzNjEwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATANH6PJff/qNxBcvSlf80D3WkaMw2BC0FQ1v7CV4qjsqGVKiznJKyc
UX56zGMBK244mA6n9CS0pXpduWANS+cDo2QwYjAdBgNVHQ4EFgQUFzPAWlVv6dEP
aUwy72L8YPpeCIQwHwYDVR0jBBgwFoAUFzPAWlVv6dEPaUwy72L8YPpeCIQwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQCy4KRiViWxGxolq+w2N4ygoVh+U9fgmIAmlipqGfvdkwIhAJwg3hvdtTEJ5p4w
hzfibJh9AuLKQTZoG72agRJDdYy3
-----END CERTIFICATE-----`,
};

const SPECIAL = Object.entries({
  'of this machine': ['127.0.0.1', '127.255.0.9', '::1'],
  'of no or every machine': ['0.0.0.0', '::', '255.255.255.255'],
  'of a private network': ['10.1.2.3', '172.16.0.1', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'of a provider or a site': ['100.64.0.1', 'fec0::1'],
  'of a link': ['169.254.169.254', 'fe80::1'],
  'for documents and tests': ['192.0.2.1', '198.18.0.1', '2001:db8::1'],
  'of many or of nobody yet': ['224.0.0.1', '240.0.0.1', 'ff02::1', '4000::1'],
  'of version 4 in one of version 6': [
    ...['::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001::1'],
  ],
  'of cloud metadata': ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'],
});

describe('an address filter', () => {
  const filter = new AddressFilter([]);

  it.each(SPECIAL)('refuses addresses %s', (_kind, addresses) => {
    expect(addresses.filter((address) => filter.allows(address))).toEqual([]);
  });

  it.each(['8.8.8.8', '203.1.113.7', '2606:4700::1111', '::ffff:8.8.8.8'])('lets %s pass', (ip) => {
    expect(filter.allows(ip)).toBe(true);
  });

  it('admits the allowed networks in every form, and no others, nor cloud metadata in them', () => {
    const local = new AddressFilter(['127.0.0.0/8', 'fd00::/8']);
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', 'fd12::1']) {
      expect(local.allows(address)).toBe(true);
    }
    for (const address of ['10.0.0.1', '::1']) expect(local.allows(address)).toBe(false);
    const open = new AddressFilter(['0.0.0.0/0', '::/0']);
    expect(open.allows('10.0.0.1')).toBe(true);
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254']) {
      expect(open.allows(address)).toBe(false);
    }
  });
});

describe('an outbound agent', () => {
  let port: string;
  let hits = 0;
  beforeAll(async () => {
    const server = createServer((_, response) => {
      hits += 1;
      response.end('reached');
    });
    ({ port } = new URL(await listen(server)));
  });
  const agent = (networks: string[]) => {
    const made = createOutboundAgent(networks);
    whenTestEnds(() => made.destroy());
    return made;
  };

  it.each([
    ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '0'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', 'localhost'],
  ])('does not connect to %s', async (host) => {
    const before = hits;
    const call = request(`http://${host}:${port}/`, { dispatcher: agent([]) });
    await expect(call).rejects.toThrow(/are not allowed/);
    expect(hits).toBe(before);
  });

  it('does not ask for the address of cloud metadata, which an allowed network could have', async () => {
    const call = request('http://metadata.google.internal./', { dispatcher: agent(['::/0']) });
    await expect(call).rejects.toThrow(/are not allowed/);
  });

  it('connects to allowed addresses, and ignores proxies of the environment', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
      vi.stubEnv(name, 'http://127.0.0.1:9');
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const dispatcher = agent(['127.0.0.0/8', '::1/128']);
    for (const host of ['127.0.0.1', 'localhost']) {
      const { body } = await request(`http://${host}:${port}/`, { dispatcher });
      expect(await body.text()).toBe('reached');
    }
  });

  it('sends nothing to a server with an untrusted certificate', async () => {
    let isReached = false;
    const secure = createSecureServer(selfSigned, (_, response) => {
      isReached = true;
      response.end();
    });
    const url = (await listen(secure)).replace('http', 'https');
    const call = request(url, { dispatcher: agent(['127.0.0.0/8']) });
    await expect(call).rejects.toThrow(/self-signed certificate/);
    expect(isReached).toBe(false);
  });

  it.each([22, 25, 6667])('does not connect to port %i', async (refused) => {
    const call = request(`http://127.0.0.1:${refused}/`, { dispatcher: agent(['127.0.0.0/8']) });
    await expect(call).rejects.toThrow(/are not allowed/);
  });
});
