import { Client, type ClientConfig, DatabaseError, type PoolConfig } from 'pg';
import { READ_ONLY } from './read-only-server.ts';

const CONNECT_MS = 5_000;

/** Matches a database URL as three parts: the text before its hosts, the hosts, and the text after them. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The parameter with which libpq chooses among hosts. We always choose one that accepts writes. */
const SESSION_ATTRS = 'target_session_attrs';
/** The values of this parameter that do not contradict our choice. */
const ALLOWED_ATTRS = ['any', 'read-write', 'primary'];

const hostsOf = (url: string): string[] => URL_PARTS.exec(url)?.[2]?.split(',') ?? [];
const withHosts = (url: string, hosts: string[]): string =>
  url.replace(URL_PARTS, (_url, head, _hosts, tail) => `${head}${hosts.join(',')}${tail}`);

/**
 * Returns a URL for each host of a database URL, which may name several, separated by commas:
 * `postgresql://user@one:5432,two:5432/name?target_session_attrs=read-write`. The driver takes one
 * host only.
 */
export function hostUrls(url: string): string[] {
  return hostsOf(url).map((host) => withoutSessionAttrs(withHosts(url, [host])));
}

function withoutSessionAttrs(url: string): string {
  if (!url.includes(SESSION_ATTRS)) return url;
  const parsed = new URL(url);
  parsed.searchParams.delete(SESSION_ATTRS);
  return parsed.href;
}

/** Returns why a text is not a database URL; undefined when it is one. */
export function databaseUrlProblem(text: string): string | undefined {
  const urls = hostsOf(text).map((host) => withHosts(text, [host]));
  const [first] = urls;
  if (first === undefined || !urls.every((url) => URL.canParse(url))) {
    return 'must be a URL that starts with postgresql:// or postgres://';
  }
  const attrs = new URL(first).searchParams.get(SESSION_ATTRS) ?? 'any';
  if (ALLOWED_ATTRS.includes(attrs)) return undefined;
  return `must have ${SESSION_ATTRS}=read-write instead of ${attrs}, because changes are written there`;
}

/**
 * Moves the first host that accepts writes to the front of a database URL, so that connections go
 * there. A single host is not asked.
 */
export async function preferWritableHost(url: string): Promise<string> {
  const urls = hostUrls(url);
  const hosts = hostsOf(url);
  if (hosts.length === 1) return url;
  for (const [index, hostUrl] of urls.entries()) {
    if (!(await acceptsWrites(hostUrl))) continue;
    return withHosts(url, [...hosts.slice(index), ...hosts.slice(0, index)]);
  }
  return url;
}

const acceptsWrites = (url: string): Promise<boolean> =>
  withClient(url, requireWritable, { connectionTimeoutMillis: CONNECT_MS }).then(
    () => true,
    () => false,
  );

/** Runs work on its own connection to the first host of a database URL. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
  options: ClientConfig = {},
): Promise<Result> {
  const client = new Client({ connectionString: hostUrls(url)[0] ?? '', ...options });
  // A lost connection fails its statement, and also emits an event, which must not end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @throws DatabaseError with the code of a read-only server */
async function requireWritable(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS "isOn"`);
  if (rows[0]?.isOn !== 'on') return;
  const error = new DatabaseError('The server is read-only.', 0, 'error');
  error.code = READ_ONLY;
  throw error;
}

/** Directs connections to one host of a database until it fails, and then to the next one. */
export class HostRotation {
  readonly #urls: string[];
  #current = 0;

  constructor(url: string) {
    this.#urls = hostUrls(url);
  }

  get url(): string {
    return this.#urls[this.#current] ?? '';
  }

  /** Moves on to the next host after the host of `url` failed, unless another connection has already done so. */
  leave(url: string): void {
    if (url === this.url) this.#current = (this.#current + 1) % this.#urls.length;
  }

  /** The options of a pool whose connections go to the current host, and fail if it accepts no writes. */
  poolOptions(): Pick<PoolConfig, 'Client' | 'connectionString' | 'onConnect'> {
    if (this.#urls.length === 1) return { connectionString: this.url };
    const rotation = this;
    class CurrentClient extends Client {
      readonly #url = rotation.url;

      constructor(options: object) {
        super({ ...options, connectionString: rotation.url });
      }

      // The pool passes a callback. The casts satisfy the types of all overloads of `connect` at once.
      override connect(callback?: unknown): never {
        const connected = callback as (error?: Error) => void;
        const onConnected = (error?: Error) => {
          if (error) rotation.leave(this.#url);
          connected(error);
        };
        return super.connect(onConnected) as never;
      }

      async requireWritable(): Promise<void> {
        try {
          await requireWritable(this);
        } catch (error) {
          rotation.leave(this.#url);
          throw error;
        }
      }
    }
    return {
      Client: CurrentClient as unknown as NonNullable<PoolConfig['Client']>,
      onConnect: (client) => (client as unknown as CurrentClient).requireWritable(),
    };
  }
}
