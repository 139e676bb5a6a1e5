import type { Dispatcher } from 'undici';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { JobQueue } from '../platform/jobs/job-queue.ts';
import type { KeyedSemaphore } from '../platform/limits/keyed-semaphore.ts';
import type { RateLimiter } from '../platform/limits/rate-limiter.ts';
import type { LiveBus } from '../platform/live-bus/live-bus.ts';
import type { LiveDocuments } from '../platform/live-documents.ts';
import type { Logger } from '../platform/logging.ts';
import type { DueWork } from '../platform/loops/due-work.ts';
import type { Mailer } from '../platform/mail/mail.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Backlog } from '../platform/processes/backlog.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { WakeUps } from '../platform/worker.ts';
import type { WorkerPool } from '../platform/worker-pool.ts';
import type { Spelling } from './body/spelling.ts';
import type { CredentialCache } from './credentials/credential-cache.ts';
import type { FailedCredentials } from './credentials/failed-credentials.ts';
import type { SignedIn } from './credentials/signed-in.ts';
import type { AccessRole, AgentIdentity } from './fields.ts';
import type { KeyedCalls } from './idempotency/keyed-calls.ts';
import type { WorkLimits } from './limits/work-limits.ts';
import type { OwnQuotas } from './quotas/limits.ts';
import type { Quotas } from './quotas/quotas.ts';
import type { SerializedOutputs } from './responses/serialized-outputs.ts';
import type { OpenStreams } from './subscriptions/open-streams.ts';

/** Services for the middleware only. Features do not use them. */
export interface Gate {
  credentials: CredentialCache;
  failedCredentials: FailedCredentials;
  rateLimiter: RateLimiter;
  workLimits: WorkLimits;
  keyedCalls: KeyedCalls;
  spelling: Spelling;
  streams: OpenStreams;
}

/** Limits on calls to model providers. */
interface ModelLimits {
  /** Concurrent calls of a workspace. */
  calls: KeyedSemaphore;
  /** Concurrent calls of a user. */
  userCalls: KeyedSemaphore;
  /** Calls of a user in a minute. */
  userRate: RateLimiter;
}

/** The budgets of an agent, for each tenant and user. */
interface AgentLimits {
  /** Requests in a minute. */
  calls: RateLimiter;
  /** Changes in an hour. */
  writes: RateLimiter;
}

/** The services that the composition root builds once, for all operations. */
export interface Services {
  config: Config & { adminToken: string; publicUrl: string };
  db: Database;
  /** The database for operations that a read replica may serve; `db` itself if there is no replica. */
  replicaReads: Database;
  events: EventLog;
  jobs: JobQueue;
  secrets: Secrets;
  /** Stores attachments. Undefined if there are several processes that share no folder and no bucket. */
  files: FileStore | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
  /** The work of all processes that is pending in the database. */
  backlog: Backlog;
  gate: Gate;
  /** The quotas of API keys for storage, emails and model tokens. */
  quotas: Quotas;
  liveDocuments: LiveDocuments;
  /** Delivers events to the subscriptions of this process. */
  live: LiveBus;
  /** Sends requests to the gateways that the operator configured: models and SendGrid. */
  gateways: Dispatcher;
  modelLimits: ModelLimits;
  agentLimits: AgentLimits;
  /** The operator's email service. */
  mailer: Mailer;
  /** Wakes the loops whose rows have become due. */
  dueWork: DueWork;
  /** Notifies workers of this process about committed work. */
  wakeUps: WakeUps;
  /** Runs work in worker threads if it would block the event loop of this process. */
  workerPool: WorkerPool;
}

/** A request before authentication. */
export interface RequestContext extends Services {
  requestId: string;
  /** The caller, for the log; empty until the credentials are checked. */
  caller: { apiKey?: string; workspaceId?: string };
  body: {
    /** The bytes not yet charged to `WorkLimits`: the whole body before the first call of a batch, then 0. */
    unchargedBytes: number;
    /** Whether the body is so large that each step of processing it gets its own turn of the event loop. */
    isLarge: boolean;
  };
  /** Receives long responses in serialized form. */
  serializedOutputs?: SerializedOutputs;
  header(name: string): string | undefined;
  /** The person whom the console signed in. Such a request has no other credentials. */
  signedIn?: SignedIn;
  /** The stream ticket in the URL of a subscription. */
  ticket?: string | undefined;
  /** Sets response headers, unless the response has already begun. */
  setHeaders(headers: Record<string, string>): void;
  address(): string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal | undefined;
  /** Closes the connection of a client that no longer reads. */
  disconnect?(): void;
  /** Sends the id of the event after which a subscription starts. */
  sendStartPosition?(eventId: string): void;
}

export interface WorkspaceContext extends RequestContext {
  workspaceId: string;
}

/** The settings of an API key that operations read. */
export interface KeySettings {
  workspaceId: string;
  enablePrivateComments: boolean;
  requireAutoOrgUser: boolean;
  advancedQueries: boolean;
  defaultDocumentAccessType: string | null;
  /** The generation of newly issued user tokens. */
  tokenGeneration: number;
  defaultAccessRole: AccessRole;
  allowUserRewrites: boolean;
  requireAttachmentApproval: boolean;
  /** The quotas that were set for this key, in place of the server's defaults. */
  quotas: OwnQuotas;
}

/** A request with the credentials of an API key, or of one of its users. */
export interface KeyContext extends RequestContext {
  /** The API key: the tenant that owns all data. */
  tenantId: string;
  key: KeySettings;
  /** The user of the user token, whose permissions limit the request; undefined with an auth token. */
  userId: string | undefined;
  /** The agent of the user token. */
  agent?: AgentIdentity | undefined;
}

/** A subscription, with the credentials that opened it. */
export interface StreamContext extends KeyContext {
  /** Aborts when the client disconnects, its credentials expire or are revoked, or the process stops. */
  ending: AbortSignal;
}
