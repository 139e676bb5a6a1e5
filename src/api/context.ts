import type { Dispatcher } from 'undici';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { JobQueue } from '../platform/jobs/job-queue.ts';
import type { KeyedSemaphore } from '../platform/keyed-semaphore.ts';
import type { LiveBus } from '../platform/live-bus/live-bus.ts';
import type { LiveDocuments } from '../platform/live-documents.ts';
import type { Logger } from '../platform/logging.ts';
import type { DueWork } from '../platform/loops/due-work.ts';
import type { Mailer } from '../platform/mail/mail.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { WakeUps } from '../platform/worker.ts';
import type { WorkerPool } from '../platform/worker-pool.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import type { AccessRole, AgentIdentity } from './fields.ts';
import type { KeyedCalls } from './idempotency/keyed-calls.ts';
import type { OwnQuotas } from './quotas/limits.ts';
import type { Quotas } from './quotas/quotas.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Spelling } from './spelling.ts';
import type { OpenStreams } from './subscriptions/open-streams.ts';
import type { WorkLimits } from './work-limits.ts';
import type { WrittenAnswers } from './write-in-pieces.ts';

/** What the composition root builds once and every operation may use. */
export interface Services {
  config: Config & { adminToken: string; publicUrl: string };
  db: Database;
  events: EventLog;
  jobs: JobQueue;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  rateLimiter: RateLimiter;
  failedCredentials: FailedCredentials;
  workLimits: WorkLimits;
  keyedCalls: KeyedCalls;
  /** What each API key may store, mail and spend on models. */
  quotas: Quotas;
  liveDocuments: LiveDocuments;
  /** Wakes the subscriptions of this process. */
  live: LiveBus;
  streams: OpenStreams;
  spelling: Spelling;
  /** The way to the gateways that the operator set: models and SendGrid. */
  gateways: Dispatcher;
  /** Calls of model providers, by workspace. */
  modelCalls: KeyedSemaphore;
  /** Calls of model providers that users make: how many at once, and how many a minute. */
  userRewrites: KeyedSemaphore;
  userRewriteRate: RateLimiter;
  /** The e-mail service of the operator. */
  mailer: Mailer;
  /** Wakes what works on rows when they are due. */
  dueWork: DueWork;
  /** Lets workers of this process know at once of work that was just committed. */
  wakeUps: WakeUps;
  /** For work that would hold up the process. */
  workerPool: WorkerPool;
}

/** One request, before anybody knows who asks. */
export interface RequestContext extends Services {
  requestId: string;
  /** Who turned out to ask, for the log: filled in once the credentials are checked. */
  caller: { apiKey?: string; workspaceId?: string };
  /**
   * What of the body nobody has been charged for yet, which all calls of a batch share, and whether
   * it is so large that each thing done with it has a turn of its own.
   */
  body: { unchargedBytes: number; isLarge?: boolean };
  /** Takes long answers as they were written; without it, they are sent as any other. */
  answers?: WrittenAnswers;
  header(name: string): string | undefined;
  /** Adds headers to the answer, as long as it has not begun. */
  setHeaders(headers: Record<string, string>): void;
  /** Where the request comes from. */
  address(): string;
  /** Fires when the caller goes away. */
  signal: AbortSignal | undefined;
  /** Hangs up on a caller who takes nothing any more. */
  hangUp?(): void;
  /** Tells the caller, beside the items, after which event a subscription began. */
  startedAfter?(eventId: string): void;
}

/** A request with the credentials of a workspace. */
export interface WorkspaceContext extends RequestContext {
  workspaceId: string;
}

/** The settings of an API key that operations ask for. */
export interface KeySettings {
  workspaceId: string;
  enablePrivateComments: boolean;
  requireAutoOrgUser: boolean;
  advancedQueries: boolean;
  defaultDocumentAccessType: string | null;
  /** Of the user tokens that are made now. */
  tokenGeneration: number;
  defaultAccessRole: AccessRole;
  allowUserRewrites: boolean;
  /** Those that were set for this key. */
  quotas: OwnQuotas;
}

/** A request with the credentials of an API key, or of one of its users. */
export interface KeyContext extends RequestContext {
  /** The API key: the tenant that owns all data. */
  tenantId: string;
  key: KeySettings;
  /** Set when the request came with a user token: it may do what this user may. */
  userId: string | undefined;
  /** The agent that the user token was made for. */
  agent?: AgentIdentity | undefined;
}

/** A subscription, with the credentials that opened it. */
export interface StreamContext extends KeyContext {
  /** Fires when nobody listens any more, or nobody may. */
  ending: AbortSignal;
}
