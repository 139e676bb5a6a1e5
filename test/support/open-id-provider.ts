import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { freePort } from './free-port.ts';
import { whenFileEnds } from './when-file-ends.ts';

const CLIENT = { client_id: 'console', client_secret: randomBytes(24).toString('hex') };

const ARTIFACTS = [
  'Interaction',
  'Grant',
  'Session',
  'AccessToken',
  'IdToken',
  'AuthorizationCode',
];

async function signingKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
}

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>;
type Claims = Record<string, unknown>;

/** A certified provider of OpenID Connect on loopback, which signs `person` in without asking. */
export async function startOpenIdProvider({
  claimsInIdToken = false,
  publishesAnotherKey = false,
} = {}) {
  const [port, ownPort] = [await freePort(), await freePort()];
  const issuer = `http://127.0.0.1:${ownPort}`;
  const people = new Map<string, Record<'id_token' | 'userinfo', Claims>>();
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`http://127.0.0.1:${port}/console/open-id/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: !claimsInIdToken,
    jwks: { keys: [await signingKey()] },
    ttl: Object.fromEntries(ARTIFACTS.map((name) => [name, 600])),
    cookies: { keys: ['a key for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: (use: 'id_token' | 'userinfo') => ({
        sub: accountId,
        ...people.get(accountId)?.[use],
      }),
    }),
    async loadExistingGrant(ctx: { oidc: { session: { accountId: string } } }) {
      const { accountId } = ctx.oidc.session;
      const grant = new provider.Grant({ accountId, clientId: CLIENT.client_id });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const started = {
    port,
    /** The claims of the next person who signs in. */
    person: {} as Claims,
    /** Claims that its userinfo gives instead for the next person. */
    userinfo: {} as Claims,
    /** Whether the next person who signs in declines. */
    isDeclined: false,
    /** The settings of a server that listens at `port`. */
    environment: {
      PORT: String(port),
      CONSOLE_OIDC_ISSUER: issuer,
      CONSOLE_OIDC_CLIENT_ID: CLIENT.client_id,
      CONSOLE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
  const answer = provider.callback();
  const { d: _private, ...anotherKey } = await signingKey();
  const anotherKeys = JSON.stringify({ keys: [anotherKey] });
  const server = createServer((request, response) => {
    if (publishesAnotherKey && request.url === '/jwks') {
      return response.setHeader('content-type', 'application/json').end(anotherKeys);
    }
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const accountId = `person-${people.size}`;
    const { person, userinfo } = started;
    people.set(accountId, { id_token: person, userinfo: { ...person, ...userinfo } });
    const result = started.isDeclined ? { error: 'access_denied' } : { login: { accountId } };
    void provider.interactionFinished(request, response, result);
  });
  server.listen(ownPort, '127.0.0.1');
  await once(server, 'listening');
  whenFileEnds(() => started.close());
  return started;
}

/** A browser as far as sign-ins need one: it keeps cookies by host, and follows redirects. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The cookies for an address, as they are sent. */
  cookiesFor(address: string): string {
    const jar = this.#cookies.get(new URL(address).host) ?? new Map<string, string>();
    return [...jar].map((each) => each.join('=')).join('; ');
  }

  /** Requests one address. @returns where it leads, if anywhere */
  async get(address: string): Promise<{ status: number; next: string | undefined }> {
    const headers = { cookie: this.cookiesFor(address) };
    const response = await fetch(address, { redirect: 'manual', headers });
    await response.arrayBuffer();
    const { host } = new URL(address);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /Expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    const next = location === null ? undefined : new URL(location, address).href;
    return { status: response.status, next };
  }

  /** Follows redirects to the end, or until the next address has `stopAt` in it. */
  async follow(address: string, stopAt?: string): Promise<string> {
    for (let at = address, steps = 0; steps < 20; steps++) {
      const { next } = await this.get(at);
      if (next === undefined) return at;
      if (stopAt && next.includes(stopAt)) return next;
      at = next;
    }
    throw new Error(`${address} leads nowhere.`);
  }
}
