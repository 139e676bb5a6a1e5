import { beforeEach, describe, expect, it } from 'vitest';
import { signedInAs } from '../support/console.ts';
import { Browser, type OpenIdProvider, startOpenIdProvider } from '../support/open-id-provider.ts';
import { startTestServer } from '../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const provider = await startOpenIdProvider();
const environment = {
  CONSOLE_OIDC_EMAIL_DOMAINS: 'acme.example, Acme.Test',
  CONSOLE_OIDC_ROLE_CLAIM: 'groups',
};
const server = await startTestServer({ ...provider.environment, ...environment }, { clock });

const ADA = { email: 'ada@acme.example', email_verified: true, groups: ['staff', 'operator'] };
beforeEach(() => {
  provider.person = ADA;
  provider.isDeclined = false;
});

const begin = () => `${server.url}/console/open-id`;

/** Signs the provider's person in. @returns where the browser ends, and who is signed in there */
async function enter(browser = new Browser(), from = begin()) {
  const { pathname, searchParams, origin } = new URL(await browser.follow(from));
  const cookie = browser.cookiesFor(origin);
  const person = await signedInAs(origin, cookie);
  return { pathname, refused: searchParams.get('refused'), person, cookie };
}

const REFUSED = { pathname: '/console/sign-in', person: null };

describe('a sign-in by OpenID Connect', () => {
  it.each([
    ['reader', 'reader'],
    [['operator', 'administrator', 'reader'], 'administrator'],
    [['staff', 'operator'], 'operator'],
  ])('signs a person of the provider in, with the widest role of %j', async (groups, role) => {
    provider.person = { ...ADA, groups };
    const person = { name: 'ada@acme.example', role };
    expect(await enter()).toMatchObject({ pathname: '/console', refused: null, person });
  });

  it.each([
    ['no role', { groups: undefined }, 'role'],
    ['an unknown role', { groups: ['Administrator', 'root'] }, 'role'],
    ['a role that only credentials give', { groups: ['owner'] }, 'role'],
    ['an object for a role', { groups: { administrator: true } }, 'role'],
    ['no address', { email: undefined }, 'email'],
    ['an address that is not verified', { email_verified: false }, 'email'],
    ['an address of which the provider says nothing', { email_verified: undefined }, 'email'],
    ['a list for an address', { email: ['ada@acme.example'] }, 'email'],
    ['a domain for an address', { email: 'acme.example' }, 'email'],
    ['an empty address', { email: '' }, 'email'],
    ['an address of another domain', { email: 'ada@evil.example' }, 'domain'],
    ['an address of a sub-domain', { email: 'ada@sub.acme.example' }, 'domain'],
    ['an address of a domain with the same end', { email: 'ada@notacme.example' }, 'domain'],
    ['two domains', { email: 'ada@acme.example@evil.example' }, 'domain'],
  ])('refuses a person with %s', async (_what, claims, refused) => {
    provider.person = { ...ADA, ...claims };
    expect(await enter()).toMatchObject({ ...REFUSED, refused });
  });

  it.each(['ada@acme.test', 'ADA@ACME.EXAMPLE'])('admits %s by its domain', async (email) => {
    provider.person = { ...ADA, email };
    expect((await enter()).person.name).toBe(email);
  });

  it('leads back to the sign-in page of a person who declines', async () => {
    provider.isDeclined = true;
    expect(await enter()).toMatchObject({ ...REFUSED, refused: 'provider' });
  });
});

describe('the way back from the provider', () => {
  /** A browser at the end of its way to the provider, and the address that it would open next. */
  async function onTheWayBack(change = (address: string) => address) {
    const browser = new Browser();
    const { next = '' } = await browser.get(begin());
    return { browser, callback: await browser.follow(change(next), '/console/open-id/callback') };
  }

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'another')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another code', (url: URL) => url.searchParams.set('code', 'another')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
  ])('is refused with %s', async (_what, change) => {
    const { browser, callback } = await onTheWayBack();
    const url = new URL(callback);
    change(url);
    expect(await enter(browser, url.href)).toMatchObject({ ...REFUSED, refused: 'provider' });
  });

  it('is refused with an id token for another nonce', async () => {
    const { browser, callback } = await onTheWayBack((address) => {
      const url = new URL(address);
      url.searchParams.set('nonce', 'another');
      return url.href;
    });
    expect(await enter(browser, callback)).toMatchObject({ ...REFUSED, refused: 'provider' });
  });

  it('is refused in a browser that did not begin it', async () => {
    const { callback } = await onTheWayBack();
    expect(await enter(new Browser(), callback)).toMatchObject({ ...REFUSED, refused: 'provider' });
    // It is refused also if that browser began another sign-in. Otherwise, one person could sign another one in as
    // themselves.
    const { browser } = await onTheWayBack();
    expect(await enter(browser, callback)).toMatchObject({ ...REFUSED, refused: 'provider' });
  });

  it('works once, and for ten minutes', async () => {
    const { browser, callback } = await onTheWayBack();
    const planted = browser.cookiesFor(server.url);
    expect((await enter(browser, callback)).person).not.toBeNull();
    const again = await fetch(callback, { redirect: 'manual', headers: { cookie: planted } });
    expect(again.headers.get('location')).toBe('/console/sign-in?refused=provider');
    const late = await onTheWayBack();
    const kept = late.browser.cookiesFor(server.url);
    clock.time += 10 * 60_000;
    const answer = await fetch(late.callback, { redirect: 'manual', headers: { cookie: kept } });
    expect(answer.headers.get('location')).toBe('/console/sign-in?refused=provider');
  });
});

it('the sign-ins of an address are limited before the provider is asked', async () => {
  const own = await startOpenIdProvider();
  const settings = { ...own.environment, RATE_LIMIT_PER_SECOND: '5' };
  const limited = await startTestServer(settings, { clock });
  const statusesOf = async (path: string) => {
    const calls = Array.from({ length: 61 }, () =>
      fetch(limited.url + path, { redirect: 'manual' }),
    );
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  expect(await statusesOf('/console/open-id')).toContain(429);
  expect(await statusesOf('/console/open-id/callback')).toContain(429);
});

it('a session by OpenID Connect is valid only on servers with the same provider', async () => {
  const { cookie, person } = await enter();
  expect(person).not.toBeNull();
  const other = await startTestServer({ DATABASE_URL: server.databaseUrl }, { clock });
  expect(await signedInAs(other.url, cookie)).toBeNull();
});

describe('another provider', () => {
  /** A server of its own for a provider. @returns how the provider's person signs in there */
  async function serve(other: OpenIdProvider, settings: Record<string, string> = {}) {
    const { url } = await startTestServer({ ...other.environment, ...settings }, { clock });
    return () => enter(new Browser(), `${url}/console/open-id`);
  }
  const EMAIL_REFUSED = { ...REFUSED, refused: 'email' };
  const PROVIDER_REFUSED = { ...REFUSED, refused: 'provider' };

  it('may name the person in the id token, and any address without listed domains', async () => {
    const inToken = await startOpenIdProvider({ claimsInIdToken: true });
    inToken.person = { email: 'grace@anywhere.example' };
    const { person } = await (await serve(inToken))();
    // Without a claim for roles, everybody is a reader.
    expect(person).toEqual({ name: 'grace@anywhere.example', role: 'reader' });
  });

  it('cannot verify in userinfo an address that the id token names, nor one that it names there', async () => {
    const inToken = await startOpenIdProvider({ claimsInIdToken: true });
    const enterThere = await serve(inToken, environment);
    inToken.person = { email: 'ada@acme.example' };
    inToken.userinfo = { email: 'eve@evil.example', email_verified: true, groups: 'reader' };
    expect(await enterThere()).toMatchObject(EMAIL_REFUSED);
    inToken.person = { email_verified: true };
    inToken.userinfo = { email: 'ada@acme.example', email_verified: undefined, groups: 'reader' };
    expect(await enterThere()).toMatchObject(EMAIL_REFUSED);
    inToken.userinfo.email_verified = true;
    const { person } = await enterThere();
    expect(person).toEqual({ name: 'ada@acme.example', role: 'reader' });
  });

  it('must sign its id token by a key that it publishes', async () => {
    const forger = await startOpenIdProvider({ publishesAnotherKey: true });
    forger.person = { email: 'ada@acme.example' };
    expect(await (await serve(forger))()).toMatchObject(PROVIDER_REFUSED);
  });

  it('that cannot be reached leads to the sign-in page, and is requested again the next time', async () => {
    const away = await startOpenIdProvider();
    await away.close();
    expect(await (await serve(away))()).toMatchObject(PROVIDER_REFUSED);
  });
});
