import type { FastifyReply, FastifyRequest } from 'fastify';
import * as openid from 'openid-client';
import type { Services } from '../../api/context.ts';
import type { ConsoleRole } from '../../api/credentials/signed-in.ts';
import type { OpenIdSettings } from '../../config.ts';
import { cookieFor, type Person } from './session.ts';
import { OPEN_ID_REFUSALS, type OpenIdRefusal } from './sign-in-page.ts';

/**
 * A sign-in that has begun, kept in a cookie until the person comes back. The provider must return the state
 * and the nonce. The code verifier proves to the provider that the same server began the sign-in.
 */
interface Attempt {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The page of the console to which the person comes back, such as `/key/x/events`. */
  next: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const SEAL_CONTEXT = 'console sign-in by OpenID Connect';
const ATTEMPT_SECONDS = 600;
type Claims = Record<string, unknown>;
type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;
/** The roles that the claim may name, the widest first. */
const ROLES = ['administrator', 'operator', 'reader'] as const satisfies ConsoleRole[];

/** Thrown when the console does not admit a person whom the provider has identified. */
export class SignInRefusal extends Error {
  readonly reason: OpenIdRefusal;

  constructor(reason: OpenIdRefusal) {
    super(OPEN_ID_REFUSALS[reason]);
    this.reason = reason;
  }
}

/** Signs people in with an OpenID Connect provider, by an authorization code and PKCE. */
export class OpenId {
  readonly #services: Services;
  readonly #settings: OpenIdSettings;
  #provider: Promise<openid.Configuration> | undefined;

  constructor(services: Services, settings: OpenIdSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Begins a sign-in. @returns the address of the provider's page */
  async begin(reply: FastifyReply, next: string): Promise<string> {
    const attempt: Attempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
      next,
      expiresAt: this.#services.clock.now() + ATTEMPT_SECONDS * 1000,
    };
    const sealed = this.#services.secrets.seal(JSON.stringify(attempt), SEAL_CONTEXT);
    const { name, attributes } = this.#cookie;
    reply.setCookie(name, sealed, { ...attributes, maxAge: ATTEMPT_SECONDS });
    const address = openid.buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: this.#callback,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return address.href;
  }

  /**
   * Completes a sign-in. Returns the person who comes back from the provider, and the page where the sign-in began.
   *
   * @throws SignInRefusal for an email address or a role that is not admitted; any error of the protocol
   */
  async finish(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ person: Person; next: string }> {
    const attempt = this.#attemptOf(request);
    reply.clearCookie(this.#cookie.name, this.#cookie.attributes);
    const address = new URL(this.#callback);
    address.search = new URL(request.url, address).search;
    const provider = await this.#discover();
    const tokens = await openid.authorizationCodeGrant(provider, address, {
      pkceCodeVerifier: attempt.codeVerifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims = await this.#claimsOf(provider, tokens);
    const email = this.#emailOf(claims);
    const { issuer } = this.#settings;
    const person: Person = { role: this.#roleOf(claims), proof: { kind: 'openId', issuer, email } };
    return { person, next: attempt.next };
  }

  /** @throws Error if there is no attempt, or if it has expired */
  #attemptOf({ cookies }: FastifyRequest): Attempt {
    const { secrets, clock } = this.#services;
    const attempt = secrets.openJson<Attempt>(cookies[this.#cookie.name] ?? '', SEAL_CONTEXT);
    if (attempt && attempt.expiresAt > clock.now()) return attempt;
    throw new Error('No sign-in was started in this browser, or it took longer than ten minutes.');
  }

  /** Completes the claims of the ID token from the user info: many providers put only the subject into the token. */
  async #claimsOf(provider: openid.Configuration, tokens: Tokens): Promise<Claims> {
    const claims: Claims = tokens.claims() ?? {};
    const { roleClaim } = this.#settings;
    const isComplete = 'email' in claims && (roleClaim === undefined || roleClaim in claims);
    if (isComplete || !provider.serverMetadata().userinfo_endpoint) return claims;
    const userInfo = await openid.fetchUserInfo(provider, tokens.access_token, String(claims.sub));
    // The address and its verification must come from the same source.
    const { email, email_verified } = 'email' in claims ? claims : userInfo;
    return { ...userInfo, ...claims, email, email_verified };
  }

  #emailOf({ email, email_verified: verified }: Claims): string {
    const { emailDomains } = this.#settings;
    // If the domain decides who is admitted, the provider must have verified the address. Otherwise the address is
    // only a name, so it is refused only if the provider says that it is not verified.
    const isVerified = emailDomains.length === 0 ? verified !== false : verified === true;
    if (typeof email !== 'string' || !email.includes('@') || !isVerified) {
      throw new SignInRefusal('email');
    }
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (emailDomains.length > 0 && !emailDomains.includes(domain)) {
      throw new SignInRefusal('domain');
    }
    return email;
  }

  #roleOf(claims: Claims): ConsoleRole {
    const { roleClaim } = this.#settings;
    if (roleClaim === undefined) return 'reader';
    const named = [claims[roleClaim]].flat();
    const role = ROLES.find((each) => named.includes(each));
    if (!role) throw new SignInRefusal('role');
    return role;
  }

  /** Reads the addresses and keys of the provider once, and again only after a failure. */
  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const server = new URL(issuer);
    // By default, the library relies on TLS, and does not verify the signature of the ID token.
    const execute = [openid.enableNonRepudiationChecks];
    // The settings allow an issuer without TLS only on this machine.
    if (server.protocol === 'http:') execute.push(openid.allowInsecureRequests);
    this.#provider ??= openid
      .discovery(server, clientId, clientSecret, undefined, { execute })
      .catch((error: unknown) => {
        this.#provider = undefined;
        throw error;
      });
    return this.#provider;
  }

  get #callback(): string {
    return `${this.#services.config.publicUrl}/console/open-id/callback`;
  }

  /** The cookie is lax, since browsers do not send strict cookies when the provider's site leads back to this one. */
  get #cookie() {
    return cookieFor(this.#services.config.publicUrl, 'console-open-id', 'lax');
  }
}
