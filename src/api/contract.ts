// Generated from the schemas of the server by `npm run generate:contract`. Do not edit.

/**
 * The types of everything that clients send and receive: the shared models; the input and output of each operation
 * (`documents.get`: `DocumentsGetInput`, `DocumentsGetOutput`), the input and item of each
 * subscription, and the events (`comment.add`: `CommentAddEvent`), by name; then all
 * operations and subscriptions by their dotted names.
 */

export interface AccessContext {
  access: Record<string, string[]>;
}

export type AccessRole = 'viewer' | 'editor';

export type AccessType = 'organizationPrivate' | 'restricted' | 'public';

export interface Activity {
  id: string;
  /** The position in the chain, counted from 1. */
  position: number;
  featureType: string;
  actionType: string;
  /** Epoch milliseconds. */
  timestamp: number;
  metadata: {
    apiKey: string;
    organizationId: string;
    documentId?: string;
  };
  actionUser?: {
    userId: string;
    [field: string]: unknown;
  };
  displayMessageTemplate?: string;
  displayMessageTemplateData?: Record<string, unknown>;
  data?: unknown;
  immutable: boolean;
  /** SHA-256 of the previous record. */
  previousHash: string;
  hash: string;
  /** The time at which a user was erased from the record, in epoch milliseconds. */
  erasedAt?: number;
}

export interface ActivityConfig {
  activityServiceConfig: {
    isEnabled: boolean;
    immutable?: boolean;
    /** Whether each trigger is on, by feature and name. The triggers of `comment` are: newlyAdded, added, updated, deleted, approved, assigned, reactionAdded, reactionDeleted, statusChanged, priorityChanged, accessModeChanged, accepted, rejected, suggestionAccepted, suggestionRejected, customListChanged, subscribed, unsubscribed. */
    triggers?: Record<string, Record<string, boolean>>;
  };
}

export interface AdvancedWebhookConfig {
  isEnabled: boolean;
}

export interface Agent {
  agentId: string;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  name?: string | undefined;
}

export interface Alert {
  id: string;
  apiKey: string;
  alertType: string;
  severity: 'low' | 'medium' | 'high';
  title: string;
  description: string;
  evidence: AlertEvidence;
  suggestedAction?: string;
  actionUrl?: string | null;
  /** `active` or `dismissed`. */
  status: string;
  /** Epoch milliseconds. */
  createdAt: number;
  dismissedAt: number | null;
  dismissedBy: {
    userId: string;
    [field: string]: unknown;
  } | null;
}

export interface AlertConfig {
  enabled: boolean;
  /** The most alerts in a week. The most severe findings come first; the others raise alerts later, if they persist. */
  maxAlertsPerWeek: number;
  enabledAlertTypes: Array<'approval-rate-drift' | 'reviewer-divergence' | 'conflicting-decisions' | 'unusual-volume' | 'abandoned-precedent'>;
  /** Findings of a lower severity raise no alert. */
  severityThreshold: 'low' | 'medium' | 'high';
}

export interface AlertEvidence {
  metric: string;
  baseline: Record<string, number | string>;
  current: Record<string, number | string>;
  /** Epoch ms. */
  window: {
    from: number;
    to: number;
  };
  /** The judgments behind the alert. */
  sourceRecordIds: string[];
  organizationId?: string;
  reviewerId?: string;
  /** The probability of such a deviation by chance alone. */
  pValue: number;
}

export interface ApiKey {
  id: string;
  apiKeyName: string;
  type: string;
  /** Present while the key is disabled. */
  disabled?: true;
}

export interface ApiKeyConfig {
  enablePrivateComments: boolean;
  requireAutoOrgUser: boolean;
  /** The type of documents that are added without a type and outside folders. */
  defaultDocumentAccessType: AccessType;
  /** The role of users who are added, or granted permissions, without a role. */
  defaultAccessRole: AccessRole;
  /** Who may comment, react and suggest: only editors, or viewers too. Documents may override this. */
  commentAccess: CommentAccess;
  advancedQueries: boolean;
  /** Lets user tokens call rewriter.stream, for which the workspace's keys of model providers pay. */
  allowUserRewrites: boolean;
  /** Users can download files that users have uploaded only after an API key has approved them with attachments.complete, e.g. after a scan. */
  requireAttachmentApproval: boolean;
  aiModelApiKey: {
    provider: ModelProvider;
    customerApiKey: string;
  }[];
}

export interface Attachment {
  attachmentId: string;
  name: string;
  /** Bytes. */
  size: number;
  type: string;
  checksum?: string;
  /** The user who uploaded it. */
  userId?: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Whether users may download it. With `requireAttachmentApproval`, an API key must approve it first. */
  isApproved: boolean;
  metadata: {
    apiKey: string;
    organizationId: string;
    documentId: string;
  };
}

export interface AttachmentDownload {
  attachmentId: string;
  name: string;
  /** Bytes. */
  size: number;
  type: string;
  checksum?: string;
  /** The user who uploaded it. */
  userId?: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Whether users may download it. With `requireAttachmentApproval`, an API key must approve it first. */
  isApproved: boolean;
  metadata: {
    apiKey: string;
    organizationId: string;
    documentId: string;
  };
  /** Downloads the file. */
  url: string;
  /** When the link expires, in Unix seconds. */
  expiresAt: number;
}

export interface AttachmentUpload {
  attachmentId: string;
  /** The link to send the file to. It needs no credentials. */
  url: string;
  method: 'PUT';
  /** The headers that the request must have, with exactly these values. */
  headers: Record<string, string>;
  /** When the link expires, in Unix seconds. */
  expiresAt: number;
}

export interface AuthToken {
  token: string;
  name: string;
  domains: string[];
}

export interface Comment {
  commentId: number;
  type: 'text';
  status: 'added' | 'updated';
  isDraft: boolean;
  isCommentTextAvailable: boolean;
  commentText: string;
  commentHtml: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** ISO 8601 */
  lastUpdated: string;
  to: User[];
  toOrganizationUserGroup: unknown[];
  taggedUserContacts: User[];
  attachments: unknown[];
  recorders: unknown[];
  customList: unknown[];
  agent?: Agent;
  reactionAnnotationIds: string[];
  reactionAnnotations: Reaction[];
  from: User;
  [field: string]: unknown;
}

export type CommentAccess = 'editors' | 'viewers';

export interface CommentAnnotation {
  annotationId: string;
  annotationNumber: number;
  annotationIndex: number;
  type: 'comment' | 'suggestion';
  /** Epoch milliseconds. */
  createdAt: number;
  /** Epoch milliseconds. */
  lastUpdated: number;
  hasDraftComments: boolean;
  from: User;
  status: CommentStatus;
  resolvedByUserId?: string;
  assignedTo?: User;
  priority?: CommentPriority;
  visibilityConfig: CommentVisibility;
  location?: Record<string, unknown>;
  locationId?: string | number;
  suggestion?: Record<string, unknown>;
  agent?: Agent;
  pageInfo?: Record<string, unknown>;
  context?: {
    access: Record<string, string[]>;
    accessFields: string[];
  };
  metadata: Record<string, unknown>;
  subscribedUsers: Record<string, CommentSubscriber>;
  unsubscribedUsers: Record<string, CommentSubscriber>;
  subscribedGroups: Record<string, unknown>;
  customList: unknown[];
  comments: Comment[];
  [field: string]: unknown;
}

export interface CommentAnnotationOutcome {
  success: boolean;
  annotationId: string;
  commentIds: number[];
  message: string;
}

export type CommentAnnotationOutcomes = Record<string, CommentAnnotationOutcome>;

export interface CommentAnnotationUpdate {
  location?: Record<string, unknown> | undefined;
  /** Default: the one in `location`. */
  locationId?: string | number | undefined;
  assignedTo?: UserInput | null | undefined;
  priority?: Priority | null | undefined;
  context?: AccessContext | null | undefined;
  visibility?: VisibilityInput | undefined;
  suggestion?: Record<string, unknown> | undefined;
  customList?: unknown[] | undefined;
  status?: StatusInput | undefined;
  resolvedByUserId?: string | undefined;
}

export interface CommentEventData {
  annotationId: string;
  annotationNumber: number;
  annotationIndex: number;
  type: 'comment' | 'suggestion';
  /** Epoch milliseconds. */
  createdAt: number;
  /** Epoch milliseconds. */
  lastUpdated: number;
  hasDraftComments: boolean;
  from: User;
  status: CommentStatus;
  resolvedByUserId?: string;
  assignedTo?: User;
  priority?: CommentPriority;
  visibilityConfig: CommentVisibility;
  location?: Record<string, unknown>;
  locationId?: string | number;
  suggestion?: Record<string, unknown>;
  agent?: Agent;
  pageInfo?: Record<string, unknown>;
  context?: {
    access: Record<string, string[]>;
    accessFields: string[];
  };
  metadata: Record<string, unknown>;
  subscribedUsers: Record<string, CommentSubscriber>;
  unsubscribedUsers: Record<string, CommentSubscriber>;
  subscribedGroups: Record<string, unknown>;
  customList: unknown[];
  comments: Comment[];
  /** The user who acted, with the `agent` if an agent acted for the user. */
  actionUser?: User;
  /** The comments concerned. */
  commentIds?: number[];
  /** Whether the participants are notified. */
  triggerNotification: boolean;
  /** The changed parts, as they were before. */
  previous?: Record<string, unknown>;
  reaction?: {
    icon: string;
  };
  [field: string]: unknown;
}

export interface CommentPriority {
  id: string;
  name?: string;
  color?: string;
  lightColor?: string;
  [field: string]: unknown;
}

export interface CommentStatus {
  id: string;
  type: 'default' | 'ongoing' | 'terminal';
  name?: string;
  color?: string;
  lightColor?: string;
  svg?: string;
  [field: string]: unknown;
}

export interface CommentSubscriber {
  user: User;
  type: 'auto' | 'manual';
  [field: string]: unknown;
}

export interface CommentUpdate {
  commentId: number;
  triggerNotification?: boolean | undefined;
  commentText?: string | undefined;
  /** Stored and returned unchanged. */
  commentHtml?: string | undefined;
  isDraft?: boolean | undefined;
  to?: UserInput[] | undefined;
  toOrganizationUserGroup?: unknown[] | undefined;
  /** The users who are mentioned. */
  taggedUserContacts?: UserInput[] | undefined;
  attachments?: unknown[] | undefined;
  recorders?: unknown[] | undefined;
  customList?: unknown[] | undefined;
  /** Accepted from API keys. With a user token it is the agent of the token. */
  agent?: Agent | undefined;
}

export interface CommentVisibility {
  type: 'public' | 'organizationPrivate' | 'restricted';
  organizationId?: string;
  userIds?: string[];
  [field: string]: unknown;
}

export type ContentType = 'text' | 'map' | 'array' | 'xml';

export interface DeletionStatus {
  isDeleteCompleted: boolean;
  tasksLeft: number;
  /** Epoch milliseconds. */
  lastTaskCompletedTime?: number;
  /** After completion: the number of deleted or anonymized rows by kind. The receipt does not name the users. */
  receipt?: Record<string, number>;
}

export interface Delivery {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  status: DeliveryStatus;
  /** Epoch milliseconds. */
  nextAttemptAt: number | null;
  attempts: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  at: number;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  /** The response, up to 16 KB. */
  excerpt: string | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

export interface Document {
  id: string;
  documentName: string;
  disabled: boolean;
  /** In a folder, the folder's type. */
  accessType: AccessType;
  /** If absent, the key's commentAccess applies. */
  commentAccess?: CommentAccess;
  [field: string]: unknown;
}

export interface DocumentInput {
  documentId: string;
  documentName?: string | undefined;
  accessType?: AccessType | undefined;
  /** Who may comment. If null or absent, the key's commentAccess applies. */
  commentAccess?: CommentAccess | null | undefined;
  disabled?: boolean | undefined;
  [field: string]: unknown;
}

export interface Editor {
  /** The editorId. */
  id: string;
  /** Null in an event after a deletion, or if the content cannot be read. */
  data: unknown;
  type: ContentType;
  /** Grows with every committed change. */
  version: number;
  /** Epoch milliseconds. */
  lastUpdate: number;
  /** A userId; null for an API key. */
  lastUpdatedBy: string | null;
}

export interface EmailConfig {
  useEmailService: boolean;
  emailServiceConfig: {
    type: 'default' | 'external';
    /** A secret; empty for none. */
    apiKey: string;
    fromEmail: '' | string;
    fromCompany: string;
    commentTemplateId: string;
    tagTemplateId: string;
  };
}

export interface Event {
  id: string;
  type: string;
  timestamp: string;
  metadata: EventMetadata;
  data: unknown;
}

export interface EventMetadata {
  apiKey: string;
  organizationId?: string;
  documentId?: string;
}

export interface Explanation {
  organizationId: string;
  documentId?: string;
  /** Not together with documentId. */
  folderId?: string;
  userId: string;
  decision: Permission;
  /** In the order of the decision. */
  steps: ExplanationStep[];
}

export interface ExplanationStep {
  /** `accessType`: the effective access type. `grant`: a place where a grant may exist. `noGrant`: the result without a grant. */
  step: 'accessType' | 'grant' | 'noGrant';
  /** The source of the access type, or the place where a grant was looked for. */
  resource?: {
    type: 'organization' | 'folder' | 'document';
    id: string;
  };
  accessType?: AccessType;
  /** The result of looking for a grant. `restricted`: a grant that does not apply here. */
  outcome?: 'absent' | 'expired' | 'restricted' | 'decides';
  accessRole?: AccessRole;
  /** Unix seconds. */
  expiresAt?: number;
  context?: AccessContext;
  message: string;
}

/** The envelope of every failure. */
export interface Failure {
  error: {
    status: Status;
    /** A message for people. */
    message: string;
    details?: FailureDetails;
    /** The HTTP status of this response. */
    code: number;
  };
}

/** The reason for the failure, for programs. */
export interface FailureDetails {
  /** The invalid fields. */
  issues?: {
    path: string;
    message: string;
  }[];
  /** Why the call is refused, or which kind of resource is missing. */
  reason?: string;
  /** The id of the request, if the server itself failed. */
  requestId?: string;
  [field: string]: unknown;
}

/** subfolders is absent on the last level that maxDepth allows. */
export interface Folder {
  folderId: string;
  /** The id if the folder has no name. */
  folderName: string;
  /** Null if the folder is at the root. */
  parentFolderId: string | null;
  /** The type of this folder, or else of the nearest folder above it that has a type. */
  accessType: AccessType;
  /** The folders above it, from the root down. */
  ancestors: string[];
  subfolders?: Folder[];
  [field: string]: unknown;
}

export interface FolderInput {
  folderId: string;
  folderName?: string | undefined;
  /** Null moves the folder to the root. If absent, the folder stays where it is. */
  parentFolderId?: string | null | undefined;
  accessType?: AccessType | undefined;
  [field: string]: unknown;
}

export interface Grant {
  type: 'organization' | 'folder' | 'document';
  id: string;
  /** Required for folders and documents. */
  organizationId?: string | undefined;
  /** Default: the user's current role there, or else the key's defaultAccessRole, which is `editor` unless it was changed. */
  accessRole?: AccessRole | undefined;
  /** Unix seconds. If absent, the grant never expires. */
  expiresAt?: number | undefined;
  context?: AccessContext | undefined;
}

export interface Judgment {
  recordId: string;
  query: string;
  decision: string;
  reasoning?: string;
  organizationId?: string;
  documentId?: string;
  reviewer?: {
    userId: string;
    name?: string;
  };
  judgeType: 'human' | 'agent';
  /** Epoch milliseconds. */
  createdAt: number;
}

export interface MemberOutcome {
  success: boolean;
  organizationUserGroupId: string;
  message: string;
}

export type ModelProvider = 'openai' | 'anthropic' | 'gemini';

export interface NewActivity {
  /** Repeating an id creates no second record. */
  activityId?: string | undefined;
  /** The kind of the target, e.g. `comment` or `invoice`. */
  featureType: string;
  /** The action, e.g. `comment.add`. */
  actionType: string;
  actionUser?: {
    userId: string;
    name?: string | undefined;
    email?: string | undefined;
    [field: string]: unknown;
  } | undefined;
  /** Default: the documentId of the call. */
  documentId?: string | undefined;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  timestamp?: number | undefined;
  displayMessageTemplate?: string | undefined;
  displayMessageTemplateData?: Record<string, unknown> | undefined;
  data?: Record<string, unknown> | undefined;
}

export interface NewComment {
  /** Assigned by the server when absent. */
  commentId?: number | undefined;
  /** The author. Required with an API key. With a user token, it is the user of the token. */
  from?: UserInput | undefined;
  /** Default: true for user tokens, false for API keys. */
  triggerNotification?: boolean | undefined;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  createdAt?: number | undefined;
  /** Epoch milliseconds. Only API keys may set it. Default: `createdAt`. */
  lastUpdated?: number | undefined;
  commentText?: string | undefined;
  /** Stored and returned unchanged. */
  commentHtml?: string | undefined;
  isDraft?: boolean | undefined;
  to?: UserInput[] | undefined;
  toOrganizationUserGroup?: unknown[] | undefined;
  /** The users who are mentioned. */
  taggedUserContacts?: UserInput[] | undefined;
  attachments?: unknown[] | undefined;
  recorders?: unknown[] | undefined;
  customList?: unknown[] | undefined;
  /** Accepted from API keys. With a user token it is the agent of the token. */
  agent?: Agent | undefined;
}

export interface NewCommentAnnotation {
  annotationId?: string | undefined;
  commentData: NewComment[];
  /** @default "comment" */
  type?: 'comment' | 'suggestion' | undefined;
  pageInfo?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | undefined;
  subscribedGroups?: Record<string, unknown> | undefined;
  /** The user who resolved the annotation, if an API key adds it as resolved. */
  resolvedByUserId?: string | undefined;
  /** Reactions to comments with a `commentId`. Accepted from API keys. */
  reactions?: NewReaction[] | undefined;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  createdAt?: number | undefined;
  /** Epoch milliseconds. Only API keys may set it. Default: `createdAt`. */
  lastUpdated?: number | undefined;
  location?: Record<string, unknown> | undefined;
  /** Default: the one in `location`. */
  locationId?: string | number | undefined;
  assignedTo?: UserInput | undefined;
  priority?: Priority | undefined;
  context?: AccessContext | undefined;
  visibility?: VisibilityInput | undefined;
  suggestion?: Record<string, unknown> | undefined;
  customList?: unknown[] | undefined;
  status?: StatusInput | undefined;
}

export interface NewDocument {
  documentId: string;
  documentName?: string | undefined;
  /** Applies outside folders; in a folder, the folder's type applies. Default: the key's defaultDocumentAccessType, which is `public` (every user of the key may read) unless it was changed. */
  accessType?: AccessType | undefined;
  /** Who may comment. If null or absent, the key's commentAccess applies. */
  commentAccess?: CommentAccess | null | undefined;
  disabled?: boolean | undefined;
  [field: string]: unknown;
}

export interface NewFolder {
  folderId: string;
  folderName?: string | undefined;
  /** If absent or null, the folder is at the root. */
  parentFolderId?: string | null | undefined;
  /** Default: the parent's type; at the root `public` (every user of the key may read). */
  accessType?: AccessType | undefined;
  [field: string]: unknown;
}

export interface NewReaction {
  commentId: number;
  icon: string;
  from: UserInput;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  lastUpdated?: number | undefined;
}

export interface Notification {
  id: string;
  notificationSource: string;
  notificationSourceData: Record<string, unknown>;
  actionUser: User;
  displayHeadlineMessageTemplate: string;
  displayHeadlineMessageTemplateData: Record<string, string | User>;
  /** The template, filled in. */
  displayHeadlineMessage: string;
  displayBodyMessage: string;
  metadata: {
    apiKey: string;
    organizationId: string;
    documentId: string;
  };
  notifyUsers: Record<string, true>;
  notifyUsersByUserId: Record<string, true>;
  /** Epoch milliseconds. */
  timestamp: number;
  location?: Record<string, unknown>;
  locationId?: string;
  context?: AccessContext;
  /** Present in a user's inbox. */
  isRead?: boolean;
}

export interface NotificationConfig {
  useNotificationService: boolean;
  /** Whether each trigger is on, by feature and name. The triggers of `comment` are: newlyAdded, added, updated, deleted, approved, assigned, reactionAdded, reactionDeleted, statusChanged, priorityChanged, accessModeChanged, accepted, rejected, suggestionAccepted, suggestionRejected, customListChanged, subscribed, unsubscribed. */
  triggers: Record<string, Record<string, boolean>>;
  delay: {
    isEnabled: boolean;
    delaySeconds: number;
  };
  batching: {
    isEnabled: boolean;
    windowSeconds: number;
    maxNotifications: number;
  };
}

export interface NotificationExplanation {
  /** Whether the user is notified: no step has the outcome `stops`. */
  notified: boolean;
  /** In the order of the decision. */
  steps: NotificationStep[];
}

export interface NotificationPreference {
  userId: string;
  documentId?: string;
  config: {
    inbox: 'ALL' | 'MINE' | 'NONE';
    email: 'ALL' | 'MINE' | 'NONE';
  };
}

export interface NotificationStep {
  rule: 'event' | 'service' | 'trigger' | 'requested' | 'actor' | 'audience' | 'subject' | 'document' | 'context' | 'visibility' | 'subscription' | 'preference' | 'read' | 'timing';
  /** `stops`: because of this rule, there is no notification. `info` decides nothing. */
  outcome: 'passes' | 'stops' | 'info';
  reason: string;
}

export interface Organization {
  organizationId: string;
  /** The id if the organization has no name. */
  organizationName: string;
  [field: string]: unknown;
}

export interface OrganizationInput {
  organizationId: string;
  organizationName?: string | undefined;
  [field: string]: unknown;
}

export interface Outcome {
  success: boolean;
  id: string;
  message: string;
}

export type Outcomes = Record<string, Outcome>;

export interface Permission {
  accessRole?: AccessRole;
  accessType?: AccessType;
  /** Unix seconds; only for temporary access. */
  expiresAt?: number;
  /** For viewers of a document whose commentAccess is `viewers`. Editors always can. */
  canComment?: true;
  error?: string;
  errorCode?: 'permission_denied' | 'does_not_exist' | 'something_went_wrong';
}

export interface PermissionEventData {
  user: {
    userId: string;
    /** Only present for a deleted user. */
    name?: string;
  };
  permissions: {
    resources: Grant[];
  };
}

export interface Presence {
  userId: string;
  name?: string;
  email?: string;
  /** `offline` if the presence was not renewed for 60 s. */
  status: string;
}

export interface PresenceInput {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
  /** @default "online" */
  status?: string | undefined;
}

export interface Priority {
  id: string;
  name?: string | undefined;
  color?: string | undefined;
  lightColor?: string | undefined;
}

export interface ProviderKey {
  provider: ModelProvider;
  /** A secret, which is shown masked. An empty value removes the key. */
  customerApiKey: string;
}

export interface Quota {
  /** The quota that applies. Null if there is none. */
  limit: number | null;
  /** Whether `limit` comes from the server's settings. */
  isDefault: boolean;
  /** Null if there is no quota: usage is not counted then. */
  used: number | null;
}

export interface Quotas {
  apiKey: string;
  storageBytes: Quota;
  mailsPerDay: Quota;
  modelTokensPerDay: Quota;
}

export interface Reaction {
  annotationId: string;
  type: 'reaction';
  icon: string;
  commentAnnotationId: string;
  locationId?: string | number;
  location?: Record<string, unknown>;
  context?: Record<string, unknown>;
  /** Epoch milliseconds. */
  lastUpdated: number;
  fromUsers: {
    /** Epoch milliseconds. */
    lastUpdated: number;
    from: User;
  }[];
}

export interface Recording {
  recordingId: string;
  url: string;
  from: User;
  /** Epoch milliseconds. */
  createdAt: number;
  metadata: {
    apiKey: string;
    organizationId: string;
    documentId: string;
  };
  [field: string]: unknown;
}

export interface RecordingInput {
  /** Generated by the server when absent. */
  recordingId?: string | undefined;
  /** The URL for playback. */
  url: string;
  thumbnailUrl?: string | undefined;
  transcriptUrl?: string | undefined;
  type?: 'audio' | 'video' | 'screen' | undefined;
  recordingName?: string | undefined;
  durationMs?: number | undefined;
  /** The attachment that holds the file. It is deleted with the recording. */
  attachmentId?: string | undefined;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  createdAt?: number | undefined;
  /** The author. Required with an API key. With a user token, it is the user of the token. */
  from?: UserInput | undefined;
  [field: string]: unknown;
}

/** A position next to a character, as `Y.relativePositionToJSON` writes it. */
export interface RelativePosition {
  item: {
    client: number;
    clock: number;
  };
  assoc?: number | undefined;
}

export type Status = 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION' | 'OUT_OF_RANGE' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'NOT_FOUND' | 'ALREADY_EXISTS' | 'ABORTED' | 'RESOURCE_EXHAUSTED' | 'INTERNAL' | 'UNAVAILABLE' | 'DEADLINE_EXCEEDED';

export interface StatusInput {
  id: string;
  type?: 'default' | 'ongoing' | 'terminal' | undefined;
  name?: string | undefined;
  color?: string | undefined;
  lightColor?: string | undefined;
  svg?: string | undefined;
}

export interface Suggestion {
  recommendation: 'approve' | 'reject';
  /** The probability that this is right: with 0.8, in 80 of 100 cases. */
  confidence: number;
  /** The number of judgments that support this. */
  basedOn: number;
  scope: 'document' | 'organization' | 'apiKey';
  scopeLabel: string;
  /** At most five, the most frequent first. */
  topReasons: string[];
  uniqueReviewers: number;
  caveats: string[];
}

export interface SuggestionInput {
  annotationId?: string | undefined;
  /** The exact text, without its formats. In rich text, each block is a line. */
  quote: string;
  /** If empty, the passage is deleted. If the quote spans several blocks, this must have as many lines. */
  replacement: string;
  /** The position of the quote. If absent, the quote must be in the text exactly once. */
  position?: {
    start: RelativePosition;
    end: RelativePosition;
  } | undefined;
  /** The author. Required with an API key. With a user token, it is the user of the token. */
  from?: UserInput | undefined;
  comment?: string | undefined;
}

export interface SuggestionOutcome {
  success: boolean;
  annotationId: string;
  message: string;
  status?: 'FAILED_PRECONDITION';
  details?: {
    /** The text that is there now. */
    present?: string;
    occurrences?: number;
    /** Several matches of the quote, with the text around them. */
    matches?: string[];
  };
}

export type SuggestionOutcomes = Record<string, SuggestionOutcome>;

export interface Suggestions {
  /** Null if fewer than two judgments of similar items support a decision. */
  primary: Suggestion | null;
  /** The opposite decision, if at least two judgments support it, and such decisions depend on the reviewer more than on any rule. */
  conflict: Suggestion | null;
}

export interface TransferStatus {
  jobId: string;
  kind: 'export' | 'import';
  organizationId?: string;
  state: 'uploading' | 'waiting' | 'running' | 'done' | 'failed';
  progress: {
    rows: number;
    files: number;
  };
  /** The link to a finished export, valid for an hour. */
  archive?: {
    url: string;
    /** Unix seconds. */
    expiresAt: number;
    size: number;
    checksum: string;
  };
  report?: {
    /** The cursor with which events.get continues after the archive. */
    eventCursor: string;
    /** Rows by table. */
    rows: Record<string, number>;
    files: number;
    /** Attachments whose files no longer existed. */
    missingFiles: number;
  };
  /** Why the job failed. Nothing was changed. */
  problem?: string;
}

export interface UnreadCount {
  total: number;
  /** The requested documents, or else those with unread notifications. */
  byDocumentId: Record<string, number>;
}

export interface User {
  userId: string;
  name?: string;
  email?: string;
  initial?: string;
  photoUrl?: string | null;
  /** On the requested organization, folder or document. */
  accessRole?: AccessRole;
  [field: string]: unknown;
}

export interface UserGroup {
  groupId: string;
  /** The id if the group has no name. */
  groupName: string;
  memberCount: number;
  /** The members, for groups that were requested by id. */
  userIds?: string[];
  [field: string]: unknown;
}

export interface UserGroupInput {
  groupId: string;
  groupName?: string | undefined;
  [field: string]: unknown;
}

export interface UserInput {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
  /** Default: derived from the name. */
  initial?: string | undefined;
  /** The role on the organization, folder or document. Default: the user's current role there, or else the key's defaultAccessRole, which is `editor` unless it was changed. */
  accessRole?: AccessRole | undefined;
  /** The address of the user's picture. Other users see it. */
  photoUrl?: string | null | undefined;
  [field: string]: unknown;
}

export interface UserPermissions {
  folders?: Record<string, Permission>;
  documents?: Record<string, Permission>;
  organization?: Record<string, Permission>;
  context?: {
    accessFields: string[];
  };
}

export interface Version {
  versionId: string;
  name: string | null;
  /** The `version` of the content that is stored in it. */
  version: number;
  /** Epoch milliseconds. */
  createdAt: number;
  /** A userId; null for an API key. */
  createdBy: string | null;
}

/** Types other than public require that the API key has private comments enabled. */
export interface VisibilityInput {
  type: 'public' | 'organizationPrivate' | 'restricted';
  /** Default: the annotation's organization. */
  organizationId?: string | undefined;
  userIds?: string[] | undefined;
}

export interface WebhookConfig {
  useWebhookService: boolean;
  webhookServiceConfig: {
    /** A secret; empty for none. */
    authToken: string;
    /** An http(s) URL, or empty for none. */
    rawNotificationUrl: '' | string;
    /** An http(s) URL, or empty for none. */
    processedNotificationUrl: '' | string;
  };
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  description: string | null;
  filterTypes: string[] | null;
  channels: string[] | null;
  disabled: boolean;
  rateLimit: number | null;
  uid: string | null;
  metadata: Record<string, string> | null;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookSecret {
  endpointId: string;
  /** `whsec_` and the key in base64. */
  secret: string;
}

export interface Workspace {
  id: string;
  name: string;
  owner: {
    email: string;
    name: string;
  };
  apiKeyList: Record<string, ApiKey>;
}

export interface WorkspacesCreateInput {
  ownerEmail: string;
  /** The owner's name. */
  name?: string | undefined;
  workspaceName?: string | undefined;
}

export interface WorkspacesCreateOutput {
  id: string;
  name: string;
  owner: {
    email: string;
    name: string;
  };
  apiKeyList: Record<string, ApiKey>;
  /** The workspace auth token; shown only here. */
  authToken: string;
}

export type WorkspacesGetInput = Record<string, never>;

export type WorkspacesGetOutput = Workspace;

export type WorkspacesResetTokenInput = Record<string, never>;

export interface WorkspacesResetTokenOutput {
  id: string;
  /** The new workspace auth token; shown only here. */
  authToken: string;
}

export interface WorkspacesUpdateInput {
  workspaceId: string;
  plan?: 'free' | 'paid' | undefined;
  selfServeProductionKeys?: boolean | undefined;
  maxProductionKeys?: number | undefined;
}

export type WorkspacesUpdateOutput = Workspace;

export interface ApiKeysCreateInput {
  ownerEmail: string;
  type: 'testing' | 'production';
  persistenceDBRegion?: 'us-west1' | 'us-west2' | 'us-west3' | 'us-west4' | 'us-central1' | 'us-east1' | 'us-east4' | 'us-east5' | 'us-south1' | 'northamerica-northeast1' | 'northamerica-northeast2' | 'northamerica-south1' | 'southamerica-east1' | 'southamerica-west1' | 'europe-west1' | 'europe-west2' | 'europe-west3' | 'europe-west4' | 'europe-west6' | 'europe-west8' | 'europe-west9' | 'europe-west10' | 'europe-west12' | 'europe-southwest1' | 'europe-north1' | 'europe-north2' | 'europe-central2' | 'me-central1' | 'me-central2' | 'me-west1' | 'asia-south1' | 'asia-south2' | 'asia-southeast1' | 'asia-southeast2' | 'asia-east1' | 'asia-east2' | 'asia-northeast1' | 'asia-northeast2' | 'asia-northeast3' | 'australia-southeast1' | 'australia-southeast2' | 'africa-south1' | 'nam5' | 'eur3' | undefined;
  realtimeDBRegion?: 'us-west1' | 'us-west2' | 'us-west3' | 'us-west4' | 'us-central1' | 'us-east1' | 'us-east4' | 'us-east5' | 'us-south1' | 'northamerica-northeast1' | 'northamerica-northeast2' | 'northamerica-south1' | 'southamerica-east1' | 'southamerica-west1' | 'europe-west1' | 'europe-west2' | 'europe-west3' | 'europe-west4' | 'europe-west6' | 'europe-west8' | 'europe-west9' | 'europe-west10' | 'europe-west12' | 'europe-southwest1' | 'europe-north1' | 'europe-north2' | 'europe-central2' | 'me-central1' | 'me-central2' | 'me-west1' | 'asia-south1' | 'asia-south2' | 'asia-southeast1' | 'asia-southeast2' | 'asia-east1' | 'asia-east2' | 'asia-northeast1' | 'asia-northeast2' | 'asia-northeast3' | 'australia-southeast1' | 'australia-southeast2' | 'africa-south1' | undefined;
  /** @default false */
  createAuthToken?: boolean | undefined;
  /** @default "" */
  apiKeyName?: string | undefined;
  allowedDomains?: string[] | undefined;
  /** @default false */
  addLocalHostToAllowedDomains?: boolean | undefined;
  /** @default false */
  useEmailService?: boolean | undefined;
  /** @default false */
  useWebhookService?: boolean | undefined;
  /** @default false */
  useNotificationService?: boolean | undefined;
  /** @default false */
  setDefaultNotificationTriggers?: boolean | undefined;
  /** @default false */
  setDefaultEmailTriggers?: boolean | undefined;
  /** @default false */
  requireAutoOrgUser?: boolean | undefined;
  /** @default false */
  enablePrivateComments?: boolean | undefined;
  /**
   * Lets user tokens call rewriter.stream, for which the workspace's keys of model providers pay.
   * @default false
   */
  allowUserRewrites?: boolean | undefined;
  /** @default {} */
  emailServiceConfig?: {
    type?: 'default' | 'external' | undefined;
    /** A secret; empty for none. */
    apiKey?: string | undefined;
    fromEmail?: '' | string | undefined;
    fromCompany?: string | undefined;
    commentTemplateId?: string | undefined;
    tagTemplateId?: string | undefined;
  } | undefined;
  /** @default {} */
  webhookServiceConfig?: {
    /** A secret; empty for none. */
    authToken?: string | undefined;
    /** An http(s) URL, or empty for none. */
    rawNotificationUrl?: '' | string | undefined;
    /** An http(s) URL, or empty for none. */
    processedNotificationUrl?: '' | string | undefined;
  } | undefined;
}

export interface ApiKeysCreateOutput {
  apiKey: string;
}

export interface ApiKeysGetInput {
  apiKeys?: string[] | undefined;
  /** Items per page, at most 100; a higher number counts as 100. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface ApiKeysGetOutput {
  data: ApiKey[];
  nextPageToken?: string;
}

export interface ApiKeysUpdateInput {
  apiKey: string;
  apiKeyName?: string | undefined;
  /** true: every request with the key or a token of its users is refused, and open connections are closed within a second. false: the key works again, with the same tokens. */
  disabled?: boolean | undefined;
}

export type ApiKeysUpdateOutput = null;

export interface QuotasGetInput {
  apiKey: string;
}

export type QuotasGetOutput = Quotas;

export interface QuotasUpdateInput {
  apiKey: string;
  /** Bytes of content that the key may store. 0 removes the quota, so that use is unlimited; null restores the server's default. */
  storageBytes?: number | null | undefined;
  /** Emails sent for the key per UTC day. 0 removes the quota, so that use is unlimited; null restores the server's default. */
  mailsPerDay?: number | null | undefined;
  /** Tokens that models may use for the key per UTC day. 0 removes the quota, so that use is unlimited; null restores the server's default. */
  modelTokensPerDay?: number | null | undefined;
}

export type QuotasUpdateOutput = Quotas;

export interface AuthTokensGetInput {
  apiKey: string;
}

export interface AuthTokensGetOutput {
  apiKey: string;
  authTokens: AuthToken[];
}

export interface AuthTokensResetInput {
  apiKey: string;
}

export interface AuthTokensResetOutput {
  apiKey: string;
  newAuthToken: AuthToken;
}

export type ApiKeyConfigGetInput = Record<string, never>;

export type ApiKeyConfigGetOutput = ApiKeyConfig;

export interface ApiKeyConfigUpdateInput {
  enablePrivateComments?: boolean | undefined;
  requireAutoOrgUser?: boolean | undefined;
  /** The type of documents that are added without a type and outside folders. */
  defaultDocumentAccessType?: AccessType | undefined;
  /** The role of users who are added, or granted permissions, without a role. */
  defaultAccessRole?: AccessRole | undefined;
  /** Who may comment, react and suggest: only editors, or viewers too. Documents may override this. */
  commentAccess?: CommentAccess | undefined;
  advancedQueries?: boolean | undefined;
  /** Lets user tokens call rewriter.stream, for which the workspace's keys of model providers pay. */
  allowUserRewrites?: boolean | undefined;
  /** Users can download files that users have uploaded only after an API key has approved them with attachments.complete, e.g. after a scan. */
  requireAttachmentApproval?: boolean | undefined;
  aiModelApiKey?: ProviderKey[] | undefined;
}

export type ApiKeyConfigUpdateOutput = ApiKeyConfig;

export type DomainsGetInput = Record<string, never>;

export interface DomainsGetOutput {
  allowedDomains: string[];
}

export interface DomainsAddInput {
  domains: string[];
}

export interface DomainsAddOutput {
  domainsAdded: string[];
}

export interface DomainsDeleteInput {
  domains: string[];
}

export interface DomainsDeleteOutput {
  domainsRemoved: string[];
}

export type EmailConfigGetInput = Record<string, never>;

export type EmailConfigGetOutput = EmailConfig;

export interface EmailConfigUpdateInput {
  useEmailService?: boolean | undefined;
  emailServiceConfig?: {
    type?: 'default' | 'external' | undefined;
    /** A secret; empty for none. */
    apiKey?: string | undefined;
    fromEmail?: '' | string | undefined;
    fromCompany?: string | undefined;
    commentTemplateId?: string | undefined;
    tagTemplateId?: string | undefined;
  } | undefined;
}

export type EmailConfigUpdateOutput = EmailConfig;

export type WebhookConfigGetInput = Record<string, never>;

export type WebhookConfigGetOutput = WebhookConfig;

export interface WebhookConfigUpdateInput {
  useWebhookService?: boolean | undefined;
  webhookServiceConfig?: {
    /** A secret; empty for none. */
    authToken?: string | undefined;
    /** An http(s) URL, or empty for none. */
    rawNotificationUrl?: '' | string | undefined;
    /** An http(s) URL, or empty for none. */
    processedNotificationUrl?: '' | string | undefined;
  } | undefined;
}

export type WebhookConfigUpdateOutput = WebhookConfig;

export type ActivityConfigGetInput = Record<string, never>;

export type ActivityConfigGetOutput = ActivityConfig;

export interface ActivityConfigUpdateInput {
  activityServiceConfig: {
    isEnabled?: boolean | undefined;
    immutable?: boolean | undefined;
    /** Whether each trigger is on, by feature and name. The triggers of `comment` are: newlyAdded, added, updated, deleted, approved, assigned, reactionAdded, reactionDeleted, statusChanged, priorityChanged, accessModeChanged, accepted, rejected, suggestionAccepted, suggestionRejected, customListChanged, subscribed, unsubscribed. */
    triggers?: Record<string, Record<string, boolean>> | undefined;
  };
}

export type ActivityConfigUpdateOutput = ActivityConfig;

export type NotificationConfigGetInput = Record<string, never>;

export type NotificationConfigGetOutput = NotificationConfig;

export interface NotificationConfigUpdateInput {
  useNotificationService?: boolean | undefined;
  /** Whether each trigger is on, by feature and name. The triggers of `comment` are: newlyAdded, added, updated, deleted, approved, assigned, reactionAdded, reactionDeleted, statusChanged, priorityChanged, accessModeChanged, accepted, rejected, suggestionAccepted, suggestionRejected, customListChanged, subscribed, unsubscribed. */
  triggers?: Record<string, Record<string, boolean>> | undefined;
  delay?: {
    isEnabled?: boolean | undefined;
    delaySeconds?: number | undefined;
  } | undefined;
  batching?: {
    isEnabled?: boolean | undefined;
    windowSeconds?: number | undefined;
    maxNotifications?: number | undefined;
  } | undefined;
}

export type NotificationConfigUpdateOutput = NotificationConfig;

export type AdvancedWebhookConfigGetInput = Record<string, never>;

export type AdvancedWebhookConfigGetOutput = AdvancedWebhookConfig;

export type AdvancedWebhookConfigUpdateInput = AdvancedWebhookConfig;

export type AdvancedWebhookConfigUpdateOutput = AdvancedWebhookConfig;

export interface AuthGenerateTokenInput {
  userId: string;
  /** @default {} */
  userProperties?: {
    name?: string | undefined;
    email?: string | undefined;
    isAdmin?: boolean | undefined;
  } | undefined;
  permissions?: {
    /** @default [] */
    resources?: Grant[] | undefined;
  } | undefined;
  /**
   * For keys with requireAutoOrgUser: organizations to which the user is added, in addition to those of `permissions.resources`.
   * @default []
   */
  organizations?: string[] | undefined;
  /** The agent that uses this token. It is shown with the content that the token writes. */
  agent?: Agent | undefined;
}

export interface AuthGenerateTokenOutput {
  token: string;
  /** The expiry of the token, in Unix seconds. */
  expiresAt: number;
}

export interface AuthRevokeTokensInput {
  userIds: string[];
}

export type AuthRevokeTokensOutput = Outcomes;

export type AuthGenerateStreamTicketInput = Record<string, never>;

export interface AuthGenerateStreamTicketOutput {
  ticket: string;
  /** The expiry of the ticket, in Unix seconds. */
  expiresAt: number;
}

export interface PermissionsGetInput {
  organizationId: string;
  userIds: string[];
  /** @default [] */
  folderIds?: string[] | undefined;
  /** @default [] */
  documentIds?: string[] | undefined;
}

export type PermissionsGetOutput = Record<string, UserPermissions>;

export interface PermissionsAddInput {
  user: {
    userId: string;
  };
  permissions: {
    resources: Grant[];
  };
}

export interface PermissionsRemoveInput {
  user: {
    userId: string;
  };
  permissions: {
    resources: Grant[];
  };
}

export interface PermissionsExplainInput {
  organizationId: string;
  documentId?: string | undefined;
  /** Not together with documentId. */
  folderId?: string | undefined;
  userId: string;
}

export type PermissionsExplainOutput = Explanation;

export interface OrganizationsAddInput {
  organizations: OrganizationInput[];
}

export type OrganizationsAddOutput = Outcomes;

export interface OrganizationsUpdateInput {
  organizations: OrganizationInput[];
}

export type OrganizationsUpdateOutput = Outcomes;

export interface OrganizationsGetInput {
  organizationIds?: string[] | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface OrganizationsGetOutput {
  data: Organization[];
  nextPageToken?: string;
}

export interface OrganizationsDeleteInput {
  organizationIds: string[];
}

export type OrganizationsDeleteOutput = Outcomes;

export interface OrganizationsExportInput {
  /** The organization. Default: the whole API key, with its settings. */
  organizationId?: string | undefined;
}

export interface OrganizationsExportOutput {
  jobId: string;
}

export interface OrganizationsImportInput {
  /** If given, only an archive of this organization is accepted. Otherwise, everything in the archive is imported. */
  organizationId?: string | undefined;
  archive: {
    /** Bytes. */
    size: number;
    /** SHA-256 in hexadecimal digits. */
    checksum: string;
  };
}

export interface OrganizationsImportOutput {
  jobId: string;
  /** Send the archive here, then call again. Absent once it has arrived. */
  upload?: {
    url: string;
    method: 'PUT';
    headers: Record<string, string>;
    /** Unix seconds. */
    expiresAt: number;
  };
}

export interface OrganizationsTransferStatusInput {
  jobId: string;
}

export type OrganizationsTransferStatusOutput = TransferStatus;

export interface FoldersAddInput {
  organizationId: string;
  /** @default false */
  createOrganization?: boolean | undefined;
  folders: NewFolder[];
}

export type FoldersAddOutput = Outcomes;

export interface FoldersGetInput {
  organizationId: string;
  /** Default: the folders at the root. */
  folderId?: string | undefined;
  /**
   * How many levels of subfolders to show below each folder.
   * @default 1
   */
  maxDepth?: number | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface FoldersGetOutput {
  data: Folder[];
  nextPageToken?: string;
}

export interface FoldersUpdateInput {
  organizationId: string;
  folders: FolderInput[];
}

export type FoldersUpdateOutput = Outcomes;

export interface FoldersDeleteInput {
  organizationId: string;
  folderId?: string | undefined;
  folderIds?: string[] | undefined;
}

export type FoldersDeleteOutput = Outcomes;

export interface DocumentsAddInput {
  organizationId: string;
  folderId?: string | undefined;
  /** @default false */
  createOrganization?: boolean | undefined;
  documents: NewDocument[];
}

export type DocumentsAddOutput = Outcomes;

export interface DocumentsGetInput {
  organizationId: string;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface DocumentsGetOutput {
  data: Document[];
  nextPageToken?: string;
}

export interface DocumentsUpdateInput {
  organizationId: string;
  documents: DocumentInput[];
}

export type DocumentsUpdateOutput = Outcomes;

export interface DocumentsMoveInput {
  organizationId: string;
  documentIds?: string[] | undefined;
  documents?: {
    documentId: string;
  }[] | undefined;
  /** Null moves the documents to the root. */
  folderId: string | null;
}

export type DocumentsMoveOutput = Outcomes;

export interface DocumentsUpdateAccessInput {
  organizationId: string;
  documentIds?: string[] | undefined;
  documents?: {
    documentId: string;
    accessType?: AccessType | undefined;
  }[] | undefined;
  /** The type for all documents that do not name one themselves. */
  accessType?: AccessType | undefined;
}

export type DocumentsUpdateAccessOutput = Outcomes;

export interface DocumentsDeleteInput {
  organizationId: string;
  documentIds: string[];
}

export type DocumentsDeleteOutput = Outcomes;

export interface UsersAddInput {
  organizationId: string;
  documentId?: string | undefined;
  /** Not together with documentId. */
  folderId?: string | undefined;
  users: UserInput[];
}

export type UsersAddOutput = Outcomes;

export interface UsersGetInput {
  organizationId: string;
  documentId?: string | undefined;
  /** Not together with documentId. */
  folderId?: string | undefined;
  userIds?: string[] | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface UsersGetOutput {
  data: User[];
  nextPageToken?: string;
}

export interface UsersUpdateInput {
  organizationId: string;
  documentId?: string | undefined;
  /** Not together with documentId. */
  folderId?: string | undefined;
  users: UserInput[];
}

export type UsersUpdateOutput = Outcomes;

export interface UsersDeleteInput {
  organizationId: string;
  documentId?: string | undefined;
  /** Not together with documentId. */
  folderId?: string | undefined;
  userIds: string[];
}

export type UsersDeleteOutput = Outcomes;

export interface UserGroupsAddInput {
  organizationId: string;
  organizationUserGroups: UserGroupInput[];
}

export type UserGroupsAddOutput = Outcomes;

export interface UserGroupsGetInput {
  organizationId: string;
  organizationUserGroupIds?: string[] | undefined;
  organizationUserGroups?: {
    groupId: string;
  }[] | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface UserGroupsGetOutput {
  data: UserGroup[];
  nextPageToken?: string;
}

export interface UserGroupsDeleteInput {
  organizationId: string;
  organizationUserGroupIds?: string[] | undefined;
  organizationUserGroups?: {
    groupId: string;
  }[] | undefined;
}

export type UserGroupsDeleteOutput = Outcomes;

export interface UserGroupsAddUsersInput {
  organizationId: string;
  organizationUserGroupId: string;
  userIds: string[];
}

export type UserGroupsAddUsersOutput = Record<string, MemberOutcome>;

export interface UserGroupsDeleteUsersInput {
  organizationId: string;
  organizationUserGroupId: string;
  /** @default [] */
  userIds?: string[] | undefined;
  /** @default false */
  deleteAll?: boolean | undefined;
}

export type UserGroupsDeleteUsersOutput = Record<string, MemberOutcome>;

export interface CrdtAddInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  /** A string for `text` and `xml`, an object for `map`, an array for `array`. */
  data: unknown;
  type: ContentType;
  /** The name of the root in the Yjs document. Default `content`; for `xml` it is `default`. */
  contentKey?: string | undefined;
  /** For `xml`: the names of further elements that are marks. */
  marks?: string[] | undefined;
}

export interface CrdtGetInput {
  organizationId: string;
  documentId: string;
  editorId?: string | undefined;
  type?: ContentType | undefined;
  /** Default: the root that holds content. */
  contentKey?: string | undefined;
  /** For `xml`: the names of further elements that are marks. */
  marks?: string[] | undefined;
}

export type CrdtGetOutput = Editor[];

export interface CrdtUpdateInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  /** A string for `text` and `xml`, an object for `map`, an array for `array`. */
  data: unknown;
  type: ContentType;
  /** The name of the root in the Yjs document. Default `content`; for `xml` it is `default`. */
  contentKey?: string | undefined;
  /** For `xml`: the names of further elements that are marks. */
  marks?: string[] | undefined;
  /** The `version` from `crdt/get`. If the stored version differs, the call fails with ABORTED. */
  ifVersion?: number | undefined;
}

export interface CrdtReplaceRangeInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  /** The exact text, without its formats. In rich text, each block is a line. */
  quote: string;
  /** If empty, the passage is deleted. If the quote spans several blocks, this must have as many lines. */
  replacement: string;
  /** The number of the match to replace, counted from 1. If omitted, there must be exactly one match. */
  occurrence?: number | undefined;
}

export interface CrdtReplaceRangeOutput {
  /** The version of the content after the change. */
  version: number;
}

export interface CrdtDeleteInput {
  organizationId: string;
  documentId: string;
  /** Default: all editors of the document. */
  editorId?: string | undefined;
}

export interface CrdtVersionsCreateInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  name?: string | undefined;
}

export type CrdtVersionsCreateOutput = Version;

export interface CrdtVersionsListInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface CrdtVersionsListOutput {
  data: Version[];
  nextPageToken?: string;
}

export interface CrdtVersionsRestoreInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  versionId?: string | undefined;
  /** Instead of `versionId`: a moment in the past, in epoch milliseconds. The restored content is at most ten seconds older. */
  at?: number | undefined;
}

export interface CommentAnnotationsAddInput {
  organizationId: string;
  documentId: string;
  /** @default false */
  createOrganization?: boolean | undefined;
  /** @default false */
  createDocument?: boolean | undefined;
  /**
   * Whether to refuse annotations whose authors have no access to the document.
   * @default false
   */
  verifyUserPermissions?: boolean | undefined;
  commentAnnotations: NewCommentAnnotation[];
}

export type CommentAnnotationsAddOutput = CommentAnnotationOutcomes;

export interface CommentAnnotationsGetInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Compared as text. */
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  resolvedBy?: string | undefined;
  agentId?: string | undefined;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  /** Suggestions that agents made. */
  agentSuggestions?: boolean | undefined;
  /** Comments that agents made. */
  agentComments?: boolean | undefined;
  statusIds?: string[] | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedBefore?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdBefore?: number | undefined;
  /**
   * By lastUpdated.
   * @default "desc"
   */
  order?: 'asc' | 'desc' | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
  /**
   * Whether to return `data` as a map by document id. Generated clients should call getGrouped, whose result has that type.
   * @default false
   */
  groupByDocumentId?: boolean | undefined;
}

export interface CommentAnnotationsGetOutput {
  data: Array<CommentAnnotation | null> | Record<string, CommentAnnotation[]>;
  nextPageToken?: string;
}

export interface CommentAnnotationsGetGroupedInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Compared as text. */
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  resolvedBy?: string | undefined;
  agentId?: string | undefined;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  /** Suggestions that agents made. */
  agentSuggestions?: boolean | undefined;
  /** Comments that agents made. */
  agentComments?: boolean | undefined;
  statusIds?: string[] | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedBefore?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdBefore?: number | undefined;
  /**
   * By lastUpdated.
   * @default "desc"
   */
  order?: 'asc' | 'desc' | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface CommentAnnotationsGetGroupedOutput {
  /** By document id. */
  data: Record<string, CommentAnnotation[]>;
  nextPageToken?: string;
}

export interface CommentAnnotationsUpdateInput {
  organizationId: string;
  documentId?: string | undefined;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Compared as text. */
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  resolvedBy?: string | undefined;
  agentId?: string | undefined;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  /** Suggestions that agents made. */
  agentSuggestions?: boolean | undefined;
  /** Comments that agents made. */
  agentComments?: boolean | undefined;
  statusIds?: string[] | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedBefore?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdBefore?: number | undefined;
  updatedData: CommentAnnotationUpdate;
  triggerNotification?: boolean | undefined;
}

export type CommentAnnotationsUpdateOutput = CommentAnnotationOutcomes;

export interface CommentAnnotationsDeleteInput {
  organizationId: string;
  documentId?: string | undefined;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Compared as text. */
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  resolvedBy?: string | undefined;
  agentId?: string | undefined;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  /** Suggestions that agents made. */
  agentSuggestions?: boolean | undefined;
  /** Comments that agents made. */
  agentComments?: boolean | undefined;
  statusIds?: string[] | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedBefore?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdBefore?: number | undefined;
}

export type CommentAnnotationsDeleteOutput = CommentAnnotationOutcomes;

export interface CommentAnnotationsCountInput {
  organizationId: string;
  documentId?: string | undefined;
  documentIds?: string[] | undefined;
  folderId?: string | undefined;
  /** Compared as text. */
  locationIds?: Array<string | number> | undefined;
  annotationIds?: string[] | undefined;
  /** Authors. */
  userIds?: string[] | undefined;
  mentionedUserIds?: string[] | undefined;
  resolvedBy?: string | undefined;
  agentId?: string | undefined;
  executionId?: string | undefined;
  agentType?: 'built-in' | 'custom' | 'external' | undefined;
  agentSource?: 'internal' | 'external' | undefined;
  /** Suggestions that agents made. */
  agentSuggestions?: boolean | undefined;
  /** Comments that agents made. */
  agentComments?: boolean | undefined;
  statusIds?: string[] | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  updatedBefore?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdAfter?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  createdBefore?: number | undefined;
  /** The user whose unread annotations are counted. With a user token, it is the user of the token. If absent, the annotations that nobody has read are counted. */
  userId?: string | undefined;
}

export type CommentAnnotationsCountOutput = Record<string, {
  total: number;
  unread: number;
}>;

export interface CommentAnnotationsSubscribeInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
}

export type CommentAnnotationsSubscribeOutput = Outcomes;

export interface CommentAnnotationsUnsubscribeInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
}

export type CommentAnnotationsUnsubscribeOutput = Outcomes;

export interface CommentAnnotationsReadInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
}

export type CommentAnnotationsReadOutput = Outcomes;

export interface CommentsAddInput {
  organizationId: string;
  documentId: string;
  annotationId: string;
  commentData: NewComment[];
}

export type CommentsAddOutput = number[];

export interface CommentsGetInput {
  organizationId: string;
  documentId: string;
  annotationId: string;
  commentIds?: number[] | undefined;
}

export type CommentsGetOutput = Comment[];

export interface CommentsUpdateInput {
  organizationId: string;
  documentId: string;
  annotationId: string;
  commentData: CommentUpdate[];
}

export type CommentsUpdateOutput = Outcomes;

export interface CommentsDeleteInput {
  organizationId: string;
  documentId: string;
  annotationId: string;
  commentIds: number[];
}

export type CommentsDeleteOutput = Outcomes;

export interface ReactionsAddInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
  commentId: number;
  icon: string;
}

export type ReactionsAddOutput = Outcomes;

export interface ReactionsDeleteInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
  commentId: number;
  icon: string;
}

export type ReactionsDeleteOutput = Outcomes;

export interface SuggestionsAddInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  suggestions: SuggestionInput[];
}

export type SuggestionsAddOutput = SuggestionOutcomes;

export interface SuggestionsAcceptInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  annotationIds: string[];
}

export type SuggestionsAcceptOutput = SuggestionOutcomes;

export interface SuggestionsRejectInput {
  organizationId: string;
  documentId: string;
  editorId: string;
  annotationIds: string[];
}

export type SuggestionsRejectOutput = SuggestionOutcomes;

export interface PresenceUpdateInput {
  organizationId: string;
  documentId: string;
  users: PresenceInput[];
}

export interface PresenceUpdateOutput {
  success: true;
}

export interface PresenceAddInput {
  organizationId: string;
  documentId: string;
  users: PresenceInput[];
}

export interface PresenceAddOutput {
  success: true;
}

export interface PresenceGetInput {
  organizationId: string;
  documentId: string;
  /** If absent or empty, all present users are returned. */
  userIds?: string[] | undefined;
}

export type PresenceGetOutput = Presence[];

export interface PresenceDeleteInput {
  organizationId: string;
  documentId: string;
  userIds: string[];
}

export interface PresenceDeleteOutput {
  success: true;
}

export interface ActivitiesAddInput {
  organizationId: string;
  documentId?: string | undefined;
  activities: NewActivity[];
}

export type ActivitiesAddOutput = Outcomes;

export interface ActivitiesGetInput {
  organizationId: string;
  documentId?: string | undefined;
  featureTypes?: string[] | undefined;
  actionTypes?: string[] | undefined;
  userId?: string | undefined;
  /** @default "desc" */
  order?: 'asc' | 'desc' | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface ActivitiesGetOutput {
  data: Activity[];
  nextPageToken?: string;
}

export interface ActivitiesExportInput {
  organizationId: string;
  documentId?: string | undefined;
  featureTypes?: string[] | undefined;
  actionTypes?: string[] | undefined;
  userId?: string | undefined;
  /** @default "asc" */
  order?: 'asc' | 'desc' | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface ActivitiesExportOutput {
  data: Activity[];
  nextPageToken?: string;
}

export interface ActivitiesVerifyInput {
  organizationId: string;
}

export interface ActivitiesVerifyOutput {
  valid: boolean;
  /** The number of verified records. */
  records: number;
  /** The number of verified records from which a user was erased. */
  erased: number;
  /** The hash of the last record. A copy kept elsewhere can prove later that the chain is unchanged. */
  hash: string;
  /** The first record that was changed, removed or inserted. */
  problem?: {
    kind: 'changed' | 'missing' | 'inserted';
    position: number;
    id?: string;
  };
}

export interface NotificationsAddInput {
  organizationId: string;
  documentId: string;
  /** Repeating an id creates no second notification. Generated when absent. */
  notificationId?: string | undefined;
  actionUser: UserInput;
  notifyUsers: UserInput[];
  /** With variables in curly brackets: {actionUser}, {recipientUser}, or your own. */
  displayHeadlineMessageTemplate: string;
  /** The values of the template's variables: users, or text. */
  displayHeadlineMessageTemplateData?: Record<string, string | UserInput> | undefined;
  displayBodyMessage: string;
  /** Epoch milliseconds, not in the future. Only API keys may set it. Default: the current time. */
  timestamp?: number | undefined;
  location?: Record<string, unknown> | undefined;
  /** Default: the one in `location`. */
  locationId?: string | number | undefined;
  /** Only users who hold one of the values of every field see the notification. */
  context?: AccessContext | undefined;
}

export type NotificationsAddOutput = Outcomes;

export interface NotificationsGetInput {
  organizationId: string;
  documentId?: string | undefined;
  /** A number is compared as text. */
  locationId?: string | number | undefined;
  userId?: string | undefined;
  notificationIds?: string[] | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
  /**
   * By timestamp.
   * @default "desc"
   */
  order?: 'asc' | 'desc' | undefined;
}

export interface NotificationsGetOutput {
  data: Notification[];
  nextPageToken?: string;
}

export interface NotificationsUpdateInput {
  organizationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
  notificationIds: string[];
  /** @default true */
  isRead?: boolean | undefined;
}

export type NotificationsUpdateOutput = Outcomes;

export interface NotificationsUnreadCountInput {
  organizationId: string;
  /** Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
  /** Only these documents are counted. If absent or empty, the whole inbox is. */
  documentIds?: string[] | undefined;
}

export type NotificationsUnreadCountOutput = UnreadCount;

export interface NotificationsExplainInput {
  organizationId: string;
  userId: string;
  documentId?: string | undefined;
  /** Give it with its documentId, or give notificationId instead. */
  annotationId?: string | undefined;
  /** An event of the annotation. Default: the newest that asked for notifications, else the newest. */
  eventId?: string | undefined;
  notificationId?: string | undefined;
}

export type NotificationsExplainOutput = NotificationExplanation;

export interface NotificationsDeleteInput {
  organizationId: string;
  /** Only notifications of this document. */
  documentId?: string | undefined;
  notificationIds: string[];
}

export type NotificationsDeleteOutput = Outcomes;

export interface NotificationsConfigGetInput {
  organizationId: string;
  /** Give either this or userIds. With a user token, it is the user of the token. */
  userId?: string | undefined;
  userIds?: string[] | undefined;
  /** Absent or empty: the preferences for the whole organization. */
  documentIds?: string[] | undefined;
}

export type NotificationsConfigGetOutput = NotificationPreference[];

export interface NotificationsConfigSetInput {
  organizationId: string;
  /** Give either this or userIds. With a user token, it is the user of the token. */
  userId?: string | undefined;
  userIds?: string[] | undefined;
  /** Absent or empty: the preferences for the whole organization. */
  documentIds?: string[] | undefined;
  config: {
    inbox?: 'ALL' | 'MINE' | 'NONE' | undefined;
    email?: 'ALL' | 'MINE' | 'NONE' | undefined;
  };
}

export type NotificationsConfigSetOutput = NotificationPreference[];

export interface RecordingsAddInput {
  organizationId: string;
  documentId: string;
  recordings: RecordingInput[];
}

export type RecordingsAddOutput = Outcomes;

export interface RecordingsGetInput {
  organizationId: string;
  documentId: string;
  recordingIds?: string[] | undefined;
  /** Items per page, at most 1000; a higher number counts as 1000. */
  pageSize?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface RecordingsGetOutput {
  data: Recording[];
  nextPageToken?: string;
}

export interface RecordingsDeleteInput {
  organizationId: string;
  documentId: string;
  recordingIds: string[];
}

export type RecordingsDeleteOutput = Outcomes;

export interface AttachmentsCreateUploadInput {
  organizationId: string;
  documentId: string;
  /** The name that browsers save the file under. */
  name: string;
  /** The size in bytes, at most the server's ATTACHMENT_LIMIT_BYTES. */
  size: number;
  /** The media type. It must be one of the server's ATTACHMENT_TYPES. */
  type: string;
  /** SHA-256 in hexadecimal digits. If given, no other file is accepted. */
  checksum?: string | undefined;
  /** The user who uploads the file. With a user token, it is the user of the token. */
  userId?: string | undefined;
}

export type AttachmentsCreateUploadOutput = AttachmentUpload;

export interface AttachmentsCompleteInput {
  organizationId: string;
  documentId: string;
  attachmentId: string;
}

export type AttachmentsCompleteOutput = Attachment;

export interface AttachmentsGetInput {
  organizationId: string;
  documentId: string;
  attachmentId: string;
}

export type AttachmentsGetOutput = AttachmentDownload;

export interface AttachmentsDeleteInput {
  organizationId: string;
  documentId: string;
  attachmentId: string;
}

export interface RewriterAskAiInput {
  /** Begins with gen-, r1-, r3-, r4-, asst-, lang- or gpt-, o1-, o3-, o4-, claude-, gemini-. */
  model: string;
  /** The instruction. */
  prompt: string;
  /** The text to which the instruction applies. */
  text: string;
}

export type RewriterAskAiOutput = {
  success: true;
  text: string;
} | {
  success: false;
  /** A sentence that explains the failure. */
  error: string;
};

export interface UserDataGetInput {
  organizationId: string;
  userId: string;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface UserDataGetOutput {
  data: {
    /** Annotations in which the user wrote or was mentioned, that were assigned to the user, or that the user resolved, read or subscribed to. */
    comments: CommentAnnotation[];
    reactions: Reaction[];
    recordings: Recording[];
    /** The files that the user uploaded. */
    attachments: Attachment[];
    notifications: Notification[];
  };
  /** Null on the last page. */
  nextPageToken: string | null;
}

export interface UserDataDeleteInput {
  userIds: string[];
  /**
   * keep: the content that the users wrote stays, with a deleted user as author. remove: it is also deleted, including copies; text in live documents is shared and stays. Content that was kept cannot be found again later.
   * @default "keep"
   */
  contents?: 'keep' | 'remove' | undefined;
  /** Erases the users only in these organizations. Default: in the whole API key. */
  organizationIds?: string[] | undefined;
}

export interface UserDataDeleteOutput {
  jobId: string;
  /** The number of tasks. Most kinds of data are searched twice, to find data that was written in the meantime. */
  tasksCount: number;
}

export interface UserDataDeleteStatusInput {
  jobId: string;
}

export type UserDataDeleteStatusOutput = DeletionStatus;

export interface MemoryJudgmentsAddInput {
  judgments: {
    /** The description of the item. Only the first 2,000 characters are compared. */
    query: string;
    /** approved, agree, endorse and document_approved count for the item; rejected, disagree and document_rejected against it; any other decision is stored, and counts as neutral. */
    decision: string;
    reasoning?: string | undefined;
    /** The organization need not exist. */
    organizationId?: string | undefined;
    documentId?: string | undefined;
    reviewer?: {
      userId: string;
      name?: string | undefined;
    } | undefined;
    /** @default "human" */
    judgeType?: 'human' | 'agent' | undefined;
    /** Epoch milliseconds. Default: the current time. */
    createdAt?: number | undefined;
  }[];
}

export interface MemoryJudgmentsAddOutput {
  recordIds: string[];
}

export interface MemoryJudgmentsQueryInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  decision?: string | undefined;
  judgeType?: 'human' | 'agent' | undefined;
  reviewerId?: string | undefined;
  /** @default 20 */
  limit?: number | undefined;
  /** The token from the previous page. */
  pageToken?: string | undefined;
}

export interface MemoryJudgmentsQueryOutput {
  data: {
    /** The newest first. */
    results: Judgment[];
    /** The number of all judgments that match, at most 10,000. */
    total: number;
  };
  nextPageToken?: string;
}

export type MemoryAlertsConfigGetInput = Record<string, never>;

export type MemoryAlertsConfigGetOutput = AlertConfig;

export interface MemoryAlertsConfigUpdateInput {
  enabled?: boolean | undefined;
  /** The most alerts in a week. The most severe findings come first; the others raise alerts later, if they persist. */
  maxAlertsPerWeek?: number | undefined;
  enabledAlertTypes?: Array<'approval-rate-drift' | 'reviewer-divergence' | 'conflicting-decisions' | 'unusual-volume' | 'abandoned-precedent'> | undefined;
  /** Findings of a lower severity raise no alert. */
  severityThreshold?: 'low' | 'medium' | 'high' | undefined;
}

export type MemoryAlertsConfigUpdateOutput = AlertConfig;

export type MemoryAlertsListInput = Record<string, never>;

export type MemoryAlertsListOutput = Alert[];

export interface MemoryAlertsDismissInput {
  alertId: string;
  /** The user who dismisses the alert. */
  user?: UserInput | undefined;
}

export interface MemoryAlertsDismissOutput {
  success: true;
}

export interface MemorySearchInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  /** The description of the item. Only the first 2,000 characters are compared. */
  query: string;
  /** @default 20 */
  limit?: number | undefined;
}

export type MemorySearchOutput = {
  recordId: string;
  query: string;
  decision: string;
  reasoning?: string;
  organizationId?: string;
  documentId?: string;
  reviewer?: {
    userId: string;
    name?: string;
  };
  judgeType: 'human' | 'agent';
  /** Epoch milliseconds. */
  createdAt: number;
  /** From 0 to 1; 1 means the same words. */
  similarity: number;
}[];

export interface MemorySuggestInput {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  /** The description of the item. Only the first 2,000 characters are compared. */
  query: string;
}

export type MemorySuggestOutput = Suggestions;

export interface EventsGetInput {
  /** The cursor of an earlier response. */
  after?: string | undefined;
  types?: string[] | undefined;
  /** @default 1000 */
  limit?: number | undefined;
}

export interface EventsGetOutput {
  events: Event[];
  cursor: string;
}

export interface WebhookEndpointsCreateInput {
  /** An http or https URL. */
  url: string;
  description?: string | undefined;
  filterTypes?: string[] | undefined;
  /** `organization:<id>`, `folder:<id>`, `document:<id>`, `user:<id>`. */
  channels?: string[] | undefined;
  disabled?: boolean | undefined;
  /** The most deliveries per second. */
  rateLimit?: number | undefined;
  metadata?: Record<string, string> | undefined;
  /** A name of your own, unique within the key. */
  uid?: string | undefined;
}

export type WebhookEndpointsCreateOutput = WebhookEndpoint;

export interface WebhookEndpointsGetInput {
  /** @default 50 */
  limit?: number | undefined;
  iterator?: string | undefined;
}

export interface WebhookEndpointsGetOutput {
  endpoints: WebhookEndpoint[];
  /** The token for the next page; null on the last page. */
  iterator: string | null;
  /** The token for the previous page. */
  prevIterator: string | null;
  done: boolean;
}

export interface WebhookEndpointsUpdateInput {
  endpointId: string;
  /** An http or https URL. */
  url?: string | undefined;
  description?: string | undefined;
  filterTypes?: string[] | undefined;
  /** `organization:<id>`, `folder:<id>`, `document:<id>`, `user:<id>`. */
  channels?: string[] | undefined;
  disabled?: boolean | undefined;
  /** The most deliveries per second. */
  rateLimit?: number | undefined;
  metadata?: Record<string, string> | undefined;
}

export type WebhookEndpointsUpdateOutput = WebhookEndpoint;

export interface WebhookEndpointsDeleteInput {
  endpointId: string;
}

export interface WebhookEndpointsDeleteOutput {
  endpointId: string;
  deleted: true;
}

export interface WebhookEndpointsRecoverInput {
  endpointId: string;
  /** Epoch milliseconds, at most 14 days ago. */
  since: number;
}

export interface WebhookEndpointsRecoverOutput {
  recovered: number;
}

export interface WebhookEndpointsSecretGetInput {
  endpointId: string;
}

export type WebhookEndpointsSecretGetOutput = WebhookSecret;

export interface WebhookEndpointsSecretRotateInput {
  endpointId: string;
}

export type WebhookEndpointsSecretRotateOutput = WebhookSecret;

export interface WebhookDeliveriesGetInput {
  endpointId?: string | undefined;
  /** `disabled`: the delivery waits until its endpoint is enabled again. */
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  /** Only deliveries of events since this time, in epoch milliseconds. */
  since?: number | undefined;
  /** @default 50 */
  limit?: number | undefined;
  iterator?: string | undefined;
}

export interface WebhookDeliveriesGetOutput {
  deliveries: Delivery[];
  iterator: string | null;
  done: boolean;
}

export interface WebhookDeliveriesResendInput {
  deliveryId: string;
}

export interface WebhookDeliveriesResendOutput {
  deliveryId: string;
}

export interface CommentsChangesInput {
  organizationId: string;
  documentId: string;
  /** Resumes after this event; without it, the subscription begins with new events. tRPC clients send it automatically when they reconnect. */
  lastEventId?: string | undefined;
}

export type CommentsChangesItem = {
  id: string;
  type: 'comment_annotation.delete';
  timestamp: string;
  metadata: EventMetadata;
  /** Also sent when the subscriber may no longer see the annotation. */
  data: {
    annotationId: string;
  };
} | {
  id: string;
  type: 'comment_annotation.add' | 'comment_annotation.status_change' | 'comment_annotation.assign' | 'comment_annotation.priority_change' | 'comment_annotation.access_mode_change' | 'comment_annotation.custom_list_change' | 'comment_annotation.approve' | 'comment_annotation.accept' | 'comment_annotation.reject' | 'comment_annotation.subscribe' | 'comment_annotation.unsubscribe' | 'comment_annotation.suggestion_accept' | 'comment_annotation.suggestion_reject' | 'comment.add' | 'comment.update' | 'comment.delete' | 'comment.reaction_add' | 'comment.reaction_delete';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    annotationId: string;
    annotationNumber: number;
    annotationIndex: number;
    type: 'comment' | 'suggestion';
    /** Epoch milliseconds. */
    createdAt: number;
    /** Epoch milliseconds. */
    lastUpdated: number;
    hasDraftComments: boolean;
    from: User;
    status: CommentStatus;
    resolvedByUserId?: string;
    assignedTo?: User;
    priority?: CommentPriority;
    visibilityConfig: CommentVisibility;
    location?: Record<string, unknown>;
    locationId?: string | number;
    suggestion?: Record<string, unknown>;
    agent?: Agent;
    pageInfo?: Record<string, unknown>;
    context?: {
      access: Record<string, string[]>;
      accessFields: string[];
    };
    metadata: Record<string, unknown>;
    subscribedUsers: Record<string, CommentSubscriber>;
    unsubscribedUsers: Record<string, CommentSubscriber>;
    subscribedGroups: Record<string, unknown>;
    customList: unknown[];
    comments: Comment[];
    actionUser?: User;
    /** The comments that the change is about. */
    commentIds?: number[];
    /** The changed parts, as they were before. */
    previous?: Record<string, unknown>;
    [field: string]: unknown;
  };
};

export interface PresenceChangesInput {
  organizationId: string;
  documentId: string;
}

export type PresenceChangesItem = {
  id: string;
  type: 'presence.state';
  timestamp: string;
  metadata: EventMetadata;
  /** All present users. */
  data: Presence[];
} | {
  id: string;
  type: 'presence.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    userId: string;
    name?: string;
    email?: string;
    /** `offline` if the presence was not renewed for 60 s. */
    status: string;
    previous?: Presence;
  };
};

export interface NotificationsChangesInput {
  organizationId: string;
  /** The user of the inbox. Required with an API key. With a user token, it is the user of the token. */
  userId?: string | undefined;
  /** Resumes after this event; without it, the subscription begins with new events. tRPC clients send it automatically when they reconnect. */
  lastEventId?: string | undefined;
}

export interface NotificationsChangesItem {
  id: string;
  type: 'notification.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Notification;
}

export interface RewriterStreamInput {
  /** Begins with gen-, r1-, r3-, r4-, asst-, lang- or gpt-, o1-, o3-, o4-, claude-, gemini-. */
  model: string;
  /** The instruction. */
  prompt: string;
  /** The text to which the instruction applies. */
  text: string;
  /** The id of the last item received. A client that reconnects sends it, and is told that its answer was interrupted. */
  lastEventId?: string | undefined;
}

export type RewriterStreamItem = {
  type: 'text';
  text: string;
} | {
  type: 'done';
  inputTokens: number | null;
  outputTokens: number | null;
  durationMs: number;
} | {
  type: 'error';
  error: string;
};

export interface OrganizationAddEvent {
  id: string;
  type: 'organization.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Organization;
}

export interface OrganizationUpdateEvent {
  id: string;
  type: 'organization.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    organizationId: string;
    /** The id if the organization has no name. */
    organizationName: string;
    previous: Organization;
    [field: string]: unknown;
  };
}

export interface OrganizationDeleteEvent {
  id: string;
  type: 'organization.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: Organization;
}

export interface FolderAddEvent {
  id: string;
  type: 'folder.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Folder;
}

export interface FolderUpdateEvent {
  id: string;
  type: 'folder.update';
  timestamp: string;
  metadata: EventMetadata;
  data: unknown;
}

export interface FolderDeleteEvent {
  id: string;
  type: 'folder.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: Folder;
}

export interface DocumentAddEvent {
  id: string;
  type: 'document.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Document;
}

export interface DocumentUpdateEvent {
  id: string;
  type: 'document.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    id: string;
    documentName: string;
    disabled: boolean;
    /** In a folder, the folder's type. */
    accessType: AccessType;
    /** If absent, the key's commentAccess applies. */
    commentAccess?: CommentAccess;
    previous: Document;
    [field: string]: unknown;
  };
}

export interface DocumentMoveEvent {
  id: string;
  type: 'document.move';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    id: string;
    documentName: string;
    disabled: boolean;
    /** In a folder, the folder's type. */
    accessType: AccessType;
    /** If absent, the key's commentAccess applies. */
    commentAccess?: CommentAccess;
    /** Null if the document is not in a folder. */
    folderId: string | null;
    previous: {
      id: string;
      documentName: string;
      disabled: boolean;
      /** In a folder, the folder's type. */
      accessType: AccessType;
      /** If absent, the key's commentAccess applies. */
      commentAccess?: CommentAccess;
      /** Null if the document is not in a folder. */
      folderId: string | null;
      [field: string]: unknown;
    };
    [field: string]: unknown;
  };
}

export interface DocumentDeleteEvent {
  id: string;
  type: 'document.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: Document;
}

export interface UserAddEvent {
  id: string;
  type: 'user.add';
  timestamp: string;
  metadata: EventMetadata;
  data: User;
}

export interface UserUpdateEvent {
  id: string;
  type: 'user.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    userId: string;
    name?: string;
    email?: string;
    initial?: string;
    photoUrl?: string | null;
    /** On the requested organization, folder or document. */
    accessRole?: AccessRole;
    previous?: User;
    [field: string]: unknown;
  };
}

export interface UserDeleteEvent {
  id: string;
  type: 'user.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: User;
}

export interface UserGroupAddEvent {
  id: string;
  type: 'user_group.add';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    groupId: string;
    /** The id if the group has no name. */
    groupName: string;
    addedUserIds?: string[];
    deletedUserIds?: string[];
    [field: string]: unknown;
  };
}

export interface UserGroupUpdateEvent {
  id: string;
  type: 'user_group.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    groupId: string;
    /** The id if the group has no name. */
    groupName: string;
    addedUserIds?: string[];
    deletedUserIds?: string[];
    [field: string]: unknown;
  };
}

export interface UserGroupDeleteEvent {
  id: string;
  type: 'user_group.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    groupId: string;
    /** The id if the group has no name. */
    groupName: string;
    [field: string]: unknown;
  };
}

export interface PermissionAddEvent {
  id: string;
  type: 'permission.add';
  timestamp: string;
  metadata: EventMetadata;
  data: PermissionEventData;
}

export interface PermissionRemoveEvent {
  id: string;
  type: 'permission.remove';
  timestamp: string;
  metadata: EventMetadata;
  data: PermissionEventData;
}

export interface CommentAnnotationAddEvent {
  id: string;
  type: 'comment_annotation.add';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationDeleteEvent {
  id: string;
  type: 'comment_annotation.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationStatusChangeEvent {
  id: string;
  type: 'comment_annotation.status_change';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationAssignEvent {
  id: string;
  type: 'comment_annotation.assign';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationPriorityChangeEvent {
  id: string;
  type: 'comment_annotation.priority_change';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationAccessModeChangeEvent {
  id: string;
  type: 'comment_annotation.access_mode_change';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationCustomListChangeEvent {
  id: string;
  type: 'comment_annotation.custom_list_change';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationApproveEvent {
  id: string;
  type: 'comment_annotation.approve';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationAcceptEvent {
  id: string;
  type: 'comment_annotation.accept';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationRejectEvent {
  id: string;
  type: 'comment_annotation.reject';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationSubscribeEvent {
  id: string;
  type: 'comment_annotation.subscribe';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationUnsubscribeEvent {
  id: string;
  type: 'comment_annotation.unsubscribe';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationSuggestionAcceptEvent {
  id: string;
  type: 'comment_annotation.suggestion_accept';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAnnotationSuggestionRejectEvent {
  id: string;
  type: 'comment_annotation.suggestion_reject';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentAddEvent {
  id: string;
  type: 'comment.add';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentUpdateEvent {
  id: string;
  type: 'comment.update';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentDeleteEvent {
  id: string;
  type: 'comment.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentReactionAddEvent {
  id: string;
  type: 'comment.reaction_add';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface CommentReactionDeleteEvent {
  id: string;
  type: 'comment.reaction_delete';
  timestamp: string;
  metadata: EventMetadata;
  data: CommentEventData;
}

export interface RecordingAddEvent {
  id: string;
  type: 'recording.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Recording;
}

export interface RecordingDeleteEvent {
  id: string;
  type: 'recording.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: Recording;
}

export interface AttachmentAddEvent {
  id: string;
  type: 'attachment.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Attachment;
}

export interface AttachmentDeleteEvent {
  id: string;
  type: 'attachment.delete';
  timestamp: string;
  metadata: EventMetadata;
  data: Attachment;
}

export interface NotificationAddEvent {
  id: string;
  type: 'notification.add';
  timestamp: string;
  metadata: EventMetadata;
  data: Notification;
}

export interface PresenceUpdateEvent {
  id: string;
  type: 'presence.update';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    userId: string;
    name?: string;
    email?: string;
    /** `offline` if the presence was not renewed for 60 s. */
    status: string;
    previous?: Presence;
  };
}

export interface CrdtUpdateDataEvent {
  id: string;
  type: 'crdt.update_data';
  timestamp: string;
  metadata: EventMetadata;
  data: Editor;
}

export interface RewriterUsageEvent {
  id: string;
  type: 'rewriter.usage';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    model: string;
    provider: string;
    /** Null if the provider did not report it. */
    inputTokens: number | null;
    /** Null if the provider did not report it. */
    outputTokens: number | null;
    durationMs: number;
    success: boolean;
  };
}

export interface EndpointDisabledEvent {
  id: string;
  type: 'endpoint.disabled';
  timestamp: string;
  metadata: EventMetadata;
  data: {
    id: string;
    url: string;
    description: string | null;
    filterTypes: string[] | null;
    channels: string[] | null;
    disabled: boolean;
    rateLimit: number | null;
    uid: string | null;
    metadata: Record<string, string> | null;
    createdAt: string;
    updatedAt: string;
    reason: 'gone' | 'failing';
  };
}

export interface MemoryAlertEvent {
  id: string;
  type: 'memory.alert';
  timestamp: string;
  metadata: EventMetadata;
  data: Alert;
}

/** Every event, by its type. */
export interface EventsByType {
  /** An organization was added. */
  'organization.add': OrganizationAddEvent;
  /** An organization was changed; `previous` is its state before the change. */
  'organization.update': OrganizationUpdateEvent;
  /** An organization was deleted with all its data. */
  'organization.delete': OrganizationDeleteEvent;
  /** A folder was added. */
  'folder.add': FolderAddEvent;
  /** A folder was changed or moved; `previous` is its state before the change. */
  'folder.update': FolderUpdateEvent;
  /** A folder was deleted. */
  'folder.delete': FolderDeleteEvent;
  /** A document was added. */
  'document.add': DocumentAddEvent;
  /** A document was changed; `previous` is its state before the change. */
  'document.update': DocumentUpdateEvent;
  /** A document was moved to another folder; `previous` is its state before the change. */
  'document.move': DocumentMoveEvent;
  /** A document was deleted. */
  'document.delete': DocumentDeleteEvent;
  /** A user was added to an organization, or to one of its folders or documents. */
  'user.add': UserAddEvent;
  /** A user or the user's role on the resource was changed; `previous` is the state before the change. */
  'user.update': UserUpdateEvent;
  /** A user was removed from an organization, folder or document. */
  'user.delete': UserDeleteEvent;
  /** A user group was added. */
  'user_group.add': UserGroupAddEvent;
  /** A user group or its members were changed. */
  'user_group.update': UserGroupUpdateEvent;
  /** A user group was deleted. */
  'user_group.delete': UserGroupDeleteEvent;
  /** A user was given a role on a resource. */
  'permission.add': PermissionAddEvent;
  /** A user's role on a resource was removed. */
  'permission.remove': PermissionRemoveEvent;
  /** An annotation was added, with its first comments. */
  'comment_annotation.add': CommentAnnotationAddEvent;
  /** An annotation was deleted. */
  'comment_annotation.delete': CommentAnnotationDeleteEvent;
  /** The status was changed. */
  'comment_annotation.status_change': CommentAnnotationStatusChangeEvent;
  /** The assignee of the annotation was changed. */
  'comment_annotation.assign': CommentAnnotationAssignEvent;
  /** The priority was changed. */
  'comment_annotation.priority_change': CommentAnnotationPriorityChangeEvent;
  /** The visibility was changed. */
  'comment_annotation.access_mode_change': CommentAnnotationAccessModeChangeEvent;
  /** The custom list was changed. */
  'comment_annotation.custom_list_change': CommentAnnotationCustomListChangeEvent;
  /** The annotation was approved. */
  'comment_annotation.approve': CommentAnnotationApproveEvent;
  /** The annotation was accepted. */
  'comment_annotation.accept': CommentAnnotationAcceptEvent;
  /** The annotation was rejected. */
  'comment_annotation.reject': CommentAnnotationRejectEvent;
  /** A user subscribed to the annotation. */
  'comment_annotation.subscribe': CommentAnnotationSubscribeEvent;
  /** A user unsubscribed from the annotation. */
  'comment_annotation.unsubscribe': CommentAnnotationUnsubscribeEvent;
  /** The suggestion was accepted. */
  'comment_annotation.suggestion_accept': CommentAnnotationSuggestionAcceptEvent;
  /** The suggestion was rejected. */
  'comment_annotation.suggestion_reject': CommentAnnotationSuggestionRejectEvent;
  /** Comments were added to the annotation. */
  'comment.add': CommentAddEvent;
  /** Comments or other fields of the annotation were changed. */
  'comment.update': CommentUpdateEvent;
  /** Comments were deleted. */
  'comment.delete': CommentDeleteEvent;
  /** A reaction was added. */
  'comment.reaction_add': CommentReactionAddEvent;
  /** A reaction was deleted. */
  'comment.reaction_delete': CommentReactionDeleteEvent;
  /** A recording was added. */
  'recording.add': RecordingAddEvent;
  /** A recording was deleted. */
  'recording.delete': RecordingDeleteEvent;
  /** A file was uploaded. A receiver can scan it, and then approve or delete it. */
  'attachment.add': AttachmentAddEvent;
  /** An attachment was deleted. */
  'attachment.delete': AttachmentDeleteEvent;
  /** Users were notified. */
  'notification.add': NotificationAddEvent;
  /** A user's presence began, ended or changed; `previous` is the state before. */
  'presence.update': PresenceUpdateEvent;
  /** The content of an editor was changed. Published at most once every 5 s; the last state is always published. */
  'crdt.update_data': CrdtUpdateDataEvent;
  /** A model was called. The data is the usage of the call. */
  'rewriter.usage': RewriterUsageEvent;
  /** A webhook endpoint was disabled, because it responded with 410 or failed for days. */
  'endpoint.disabled': EndpointDisabledEvent;
  /** An alert about recent judgments was raised. */
  'memory.alert': MemoryAlertEvent;
}

/** An event of any type, discriminated by `type`. */
export type AnyEvent = EventsByType[keyof EventsByType];

/** An item of a subscription. A new subscription can resume after the id of an item. */
export interface TrackedItem<Data> {
  id: string;
  data: Data;
}

/** An operation that changes nothing. */
export interface Query<Input, Output> {
  kind: 'query';
  input: Input;
  output: Output;
}

export interface Mutation<Input, Output> {
  kind: 'mutation';
  input: Input;
  output: Output;
}

export interface Subscription<Input, Item> {
  kind: 'subscription';
  input: Input;
  item: TrackedItem<Item>;
}

/** The operations and subscriptions by their dotted names. */
export type Procedures = {
  workspaces: {
    /** Create a workspace */
    create: Mutation<WorkspacesCreateInput, WorkspacesCreateOutput>;
    /** Get the workspace */
    get: Query<WorkspacesGetInput, WorkspacesGetOutput>;
    /** Reset the workspace auth token */
    resetToken: Mutation<WorkspacesResetTokenInput, WorkspacesResetTokenOutput>;
    /** Update a workspace */
    update: Mutation<WorkspacesUpdateInput, WorkspacesUpdateOutput>;
  };
  apiKeys: {
    /** Create an API key */
    create: Mutation<ApiKeysCreateInput, ApiKeysCreateOutput>;
    /** Get API keys */
    get: Query<ApiKeysGetInput, ApiKeysGetOutput>;
    /** Update an API key */
    update: Mutation<ApiKeysUpdateInput, ApiKeysUpdateOutput>;
  };
  quotas: {
    /** Get the quotas of an API key */
    get: Query<QuotasGetInput, QuotasGetOutput>;
    /** Update the quotas of an API key */
    update: Mutation<QuotasUpdateInput, QuotasUpdateOutput>;
  };
  authTokens: {
    /** Get the auth tokens of an API key */
    get: Query<AuthTokensGetInput, AuthTokensGetOutput>;
    /** Reset the auth token of an API key */
    reset: Mutation<AuthTokensResetInput, AuthTokensResetOutput>;
  };
  apiKeyConfig: {
    /** Get the configuration of the API key */
    get: Query<ApiKeyConfigGetInput, ApiKeyConfigGetOutput>;
    /** Update the configuration of the API key */
    update: Mutation<ApiKeyConfigUpdateInput, ApiKeyConfigUpdateOutput>;
  };
  domains: {
    /** Get the allowed domains */
    get: Query<DomainsGetInput, DomainsGetOutput>;
    /** Add allowed domains */
    add: Mutation<DomainsAddInput, DomainsAddOutput>;
    /** Delete allowed domains */
    delete: Mutation<DomainsDeleteInput, DomainsDeleteOutput>;
  };
  emailConfig: {
    /** Get the email service configuration */
    get: Query<EmailConfigGetInput, EmailConfigGetOutput>;
    /** Update the email service configuration */
    update: Mutation<EmailConfigUpdateInput, EmailConfigUpdateOutput>;
  };
  webhookConfig: {
    /** Get the basic webhook configuration */
    get: Query<WebhookConfigGetInput, WebhookConfigGetOutput>;
    /** Update the basic webhook configuration */
    update: Mutation<WebhookConfigUpdateInput, WebhookConfigUpdateOutput>;
  };
  activityConfig: {
    /** Get the activity log configuration */
    get: Query<ActivityConfigGetInput, ActivityConfigGetOutput>;
    /** Update the activity log configuration */
    update: Mutation<ActivityConfigUpdateInput, ActivityConfigUpdateOutput>;
  };
  notificationConfig: {
    /** Get the notification configuration */
    get: Query<NotificationConfigGetInput, NotificationConfigGetOutput>;
    /** Update the notification configuration */
    update: Mutation<NotificationConfigUpdateInput, NotificationConfigUpdateOutput>;
  };
  advancedWebhookConfig: {
    /** Get whether advanced webhooks are enabled */
    get: Query<AdvancedWebhookConfigGetInput, AdvancedWebhookConfigGetOutput>;
    /** Enable or disable advanced webhooks */
    update: Mutation<AdvancedWebhookConfigUpdateInput, AdvancedWebhookConfigUpdateOutput>;
  };
  auth: {
    /** Generate a user token */
    generateToken: Mutation<AuthGenerateTokenInput, AuthGenerateTokenOutput>;
    /** Revoke the tokens of users */
    revokeTokens: Mutation<AuthRevokeTokensInput, AuthRevokeTokensOutput>;
    /** Generate a stream ticket */
    generateStreamTicket: Mutation<AuthGenerateStreamTicketInput, AuthGenerateStreamTicketOutput>;
  };
  permissions: {
    /** Get permissions */
    get: Query<PermissionsGetInput, PermissionsGetOutput>;
    /** Add permissions */
    add: Mutation<PermissionsAddInput, undefined>;
    /** Remove permissions */
    remove: Mutation<PermissionsRemoveInput, undefined>;
    /** Explain permissions */
    explain: Query<PermissionsExplainInput, PermissionsExplainOutput>;
  };
  organizations: {
    /** Add organizations */
    add: Mutation<OrganizationsAddInput, OrganizationsAddOutput>;
    /** Update organizations */
    update: Mutation<OrganizationsUpdateInput, OrganizationsUpdateOutput>;
    /** Get organizations */
    get: Query<OrganizationsGetInput, OrganizationsGetOutput>;
    /** Delete organizations */
    delete: Mutation<OrganizationsDeleteInput, OrganizationsDeleteOutput>;
    /** Export an archive */
    export: Mutation<OrganizationsExportInput, OrganizationsExportOutput>;
    /** Import an archive */
    import: Mutation<OrganizationsImportInput, OrganizationsImportOutput>;
    /** Get the status of an export or import */
    transferStatus: Query<OrganizationsTransferStatusInput, OrganizationsTransferStatusOutput>;
  };
  folders: {
    /** Add folders */
    add: Mutation<FoldersAddInput, FoldersAddOutput>;
    /** Get folders */
    get: Query<FoldersGetInput, FoldersGetOutput>;
    /** Update folders */
    update: Mutation<FoldersUpdateInput, FoldersUpdateOutput>;
    /** Delete folders */
    delete: Mutation<FoldersDeleteInput, FoldersDeleteOutput>;
  };
  documents: {
    /** Add documents */
    add: Mutation<DocumentsAddInput, DocumentsAddOutput>;
    /** Get documents */
    get: Query<DocumentsGetInput, DocumentsGetOutput>;
    /** Update documents */
    update: Mutation<DocumentsUpdateInput, DocumentsUpdateOutput>;
    /** Move documents */
    move: Mutation<DocumentsMoveInput, DocumentsMoveOutput>;
    /** Update the access type of documents */
    updateAccess: Mutation<DocumentsUpdateAccessInput, DocumentsUpdateAccessOutput>;
    /** Delete documents */
    delete: Mutation<DocumentsDeleteInput, DocumentsDeleteOutput>;
  };
  users: {
    /** Add users */
    add: Mutation<UsersAddInput, UsersAddOutput>;
    /** Get users */
    get: Query<UsersGetInput, UsersGetOutput>;
    /** Update users */
    update: Mutation<UsersUpdateInput, UsersUpdateOutput>;
    /** Delete users */
    delete: Mutation<UsersDeleteInput, UsersDeleteOutput>;
  };
  userGroups: {
    /** Add user groups */
    add: Mutation<UserGroupsAddInput, UserGroupsAddOutput>;
    /** Get user groups */
    get: Query<UserGroupsGetInput, UserGroupsGetOutput>;
    /** Delete user groups */
    delete: Mutation<UserGroupsDeleteInput, UserGroupsDeleteOutput>;
    /** Add users to a group */
    addUsers: Mutation<UserGroupsAddUsersInput, UserGroupsAddUsersOutput>;
    /** Delete users from a group */
    deleteUsers: Mutation<UserGroupsDeleteUsersInput, UserGroupsDeleteUsersOutput>;
  };
  crdt: {
    /** Add CRDT data */
    add: Mutation<CrdtAddInput, undefined>;
    /** Get CRDT data */
    get: Query<CrdtGetInput, CrdtGetOutput>;
    /** Update CRDT data */
    update: Mutation<CrdtUpdateInput, undefined>;
    /** Replace a passage of CRDT data */
    replaceRange: Mutation<CrdtReplaceRangeInput, CrdtReplaceRangeOutput>;
    /** Delete CRDT data */
    delete: Mutation<CrdtDeleteInput, undefined>;
    versions: {
      /** Create a version of CRDT data */
      create: Mutation<CrdtVersionsCreateInput, CrdtVersionsCreateOutput>;
      /** List versions of CRDT data */
      list: Query<CrdtVersionsListInput, CrdtVersionsListOutput>;
      /** Restore a version of CRDT data */
      restore: Mutation<CrdtVersionsRestoreInput, undefined>;
    };
  };
  commentAnnotations: {
    /** Add comment annotations */
    add: Mutation<CommentAnnotationsAddInput, CommentAnnotationsAddOutput>;
    /** Get comment annotations */
    get: Query<CommentAnnotationsGetInput, CommentAnnotationsGetOutput>;
    /** Get comment annotations by document */
    getGrouped: Query<CommentAnnotationsGetGroupedInput, CommentAnnotationsGetGroupedOutput>;
    /** Update comment annotations */
    update: Mutation<CommentAnnotationsUpdateInput, CommentAnnotationsUpdateOutput>;
    /** Delete comment annotations */
    delete: Mutation<CommentAnnotationsDeleteInput, CommentAnnotationsDeleteOutput>;
    /** Count comment annotations */
    count: Query<CommentAnnotationsCountInput, CommentAnnotationsCountOutput>;
    /** Subscribe to a comment annotation */
    subscribe: Mutation<CommentAnnotationsSubscribeInput, CommentAnnotationsSubscribeOutput>;
    /** Unsubscribe from a comment annotation */
    unsubscribe: Mutation<CommentAnnotationsUnsubscribeInput, CommentAnnotationsUnsubscribeOutput>;
    /** Mark a comment annotation as read */
    read: Mutation<CommentAnnotationsReadInput, CommentAnnotationsReadOutput>;
  };
  comments: {
    /** Add comments to an annotation */
    add: Mutation<CommentsAddInput, CommentsAddOutput>;
    /** Get the comments of an annotation */
    get: Query<CommentsGetInput, CommentsGetOutput>;
    /** Update comments */
    update: Mutation<CommentsUpdateInput, CommentsUpdateOutput>;
    /** Delete comments */
    delete: Mutation<CommentsDeleteInput, CommentsDeleteOutput>;
    /** Follow the comments of a document */
    changes: Subscription<CommentsChangesInput, CommentsChangesItem>;
  };
  reactions: {
    /** React to a comment */
    add: Mutation<ReactionsAddInput, ReactionsAddOutput>;
    /** Delete a reaction */
    delete: Mutation<ReactionsDeleteInput, ReactionsDeleteOutput>;
  };
  suggestions: {
    /** Add suggestions */
    add: Mutation<SuggestionsAddInput, SuggestionsAddOutput>;
    /** Accept suggestions */
    accept: Mutation<SuggestionsAcceptInput, SuggestionsAcceptOutput>;
    /** Reject suggestions */
    reject: Mutation<SuggestionsRejectInput, SuggestionsRejectOutput>;
  };
  presence: {
    /** Update presence */
    update: Mutation<PresenceUpdateInput, PresenceUpdateOutput>;
    /** Add presence */
    add: Mutation<PresenceAddInput, PresenceAddOutput>;
    /** Get presence */
    get: Query<PresenceGetInput, PresenceGetOutput>;
    /** Delete presence */
    delete: Mutation<PresenceDeleteInput, PresenceDeleteOutput>;
    /** Follow presence in a document */
    changes: Subscription<PresenceChangesInput, PresenceChangesItem>;
  };
  activities: {
    /** Add activities */
    add: Mutation<ActivitiesAddInput, ActivitiesAddOutput>;
    /** Get activities */
    get: Query<ActivitiesGetInput, ActivitiesGetOutput>;
    /** Export activities */
    export: Query<ActivitiesExportInput, ActivitiesExportOutput>;
    /** Verify activities */
    verify: Query<ActivitiesVerifyInput, ActivitiesVerifyOutput>;
  };
  notifications: {
    /** Add a notification */
    add: Mutation<NotificationsAddInput, NotificationsAddOutput>;
    /** Get notifications */
    get: Query<NotificationsGetInput, NotificationsGetOutput>;
    /** Update the read state of notifications */
    update: Mutation<NotificationsUpdateInput, NotificationsUpdateOutput>;
    /** Count unread notifications */
    unreadCount: Query<NotificationsUnreadCountInput, NotificationsUnreadCountOutput>;
    /** Explain a notification */
    explain: Query<NotificationsExplainInput, NotificationsExplainOutput>;
    /** Delete notifications */
    delete: Mutation<NotificationsDeleteInput, NotificationsDeleteOutput>;
    config: {
      /** Get notification preferences */
      get: Query<NotificationsConfigGetInput, NotificationsConfigGetOutput>;
      /** Set notification preferences */
      set: Mutation<NotificationsConfigSetInput, NotificationsConfigSetOutput>;
    };
    /** Follow an inbox */
    changes: Subscription<NotificationsChangesInput, NotificationsChangesItem>;
  };
  recordings: {
    /** Add recordings */
    add: Mutation<RecordingsAddInput, RecordingsAddOutput>;
    /** Get recordings */
    get: Query<RecordingsGetInput, RecordingsGetOutput>;
    /** Delete recordings */
    delete: Mutation<RecordingsDeleteInput, RecordingsDeleteOutput>;
  };
  attachments: {
    /** Create an upload */
    createUpload: Mutation<AttachmentsCreateUploadInput, AttachmentsCreateUploadOutput>;
    /** Complete an upload */
    complete: Mutation<AttachmentsCompleteInput, AttachmentsCompleteOutput>;
    /** Get an attachment */
    get: Query<AttachmentsGetInput, AttachmentsGetOutput>;
    /** Delete an attachment */
    delete: Mutation<AttachmentsDeleteInput, undefined>;
  };
  rewriter: {
    /** Ask AI */
    askAi: Mutation<RewriterAskAiInput, RewriterAskAiOutput>;
    /** Stream an answer */
    stream: Subscription<RewriterStreamInput, RewriterStreamItem>;
  };
  userData: {
    /** Get all user data */
    get: Query<UserDataGetInput, UserDataGetOutput>;
    /** Delete all user data */
    delete: Mutation<UserDataDeleteInput, UserDataDeleteOutput>;
    /** Get the status of a user data deletion */
    deleteStatus: Query<UserDataDeleteStatusInput, UserDataDeleteStatusOutput>;
  };
  memory: {
    judgments: {
      /** Add judgments */
      add: Mutation<MemoryJudgmentsAddInput, MemoryJudgmentsAddOutput>;
      /** Query judgments */
      query: Query<MemoryJudgmentsQueryInput, MemoryJudgmentsQueryOutput>;
    };
    alerts: {
      config: {
        /** Get the alert configuration */
        get: Query<MemoryAlertsConfigGetInput, MemoryAlertsConfigGetOutput>;
        /** Update the alert configuration */
        update: Mutation<MemoryAlertsConfigUpdateInput, MemoryAlertsConfigUpdateOutput>;
      };
      /** List alerts */
      list: Query<MemoryAlertsListInput, MemoryAlertsListOutput>;
      /** Dismiss an alert */
      dismiss: Mutation<MemoryAlertsDismissInput, MemoryAlertsDismissOutput>;
    };
    /** Search judgments */
    search: Query<MemorySearchInput, MemorySearchOutput>;
    /** Suggest decision */
    suggest: Query<MemorySuggestInput, MemorySuggestOutput>;
  };
  events: {
    /** Get events */
    get: Query<EventsGetInput, EventsGetOutput>;
  };
  webhookEndpoints: {
    /** Create an advanced webhook endpoint */
    create: Mutation<WebhookEndpointsCreateInput, WebhookEndpointsCreateOutput>;
    /** Get advanced webhook endpoints */
    get: Query<WebhookEndpointsGetInput, WebhookEndpointsGetOutput>;
    /** Update an advanced webhook endpoint */
    update: Mutation<WebhookEndpointsUpdateInput, WebhookEndpointsUpdateOutput>;
    /** Delete an advanced webhook endpoint */
    delete: Mutation<WebhookEndpointsDeleteInput, WebhookEndpointsDeleteOutput>;
    /** Resend failed deliveries */
    recover: Mutation<WebhookEndpointsRecoverInput, WebhookEndpointsRecoverOutput>;
    secret: {
      /** Get the signing secret of an endpoint */
      get: Query<WebhookEndpointsSecretGetInput, WebhookEndpointsSecretGetOutput>;
      /** Rotate the signing secret of an endpoint */
      rotate: Mutation<WebhookEndpointsSecretRotateInput, WebhookEndpointsSecretRotateOutput>;
    };
  };
  webhookDeliveries: {
    /** Get webhook deliveries */
    get: Query<WebhookDeliveriesGetInput, WebhookDeliveriesGetOutput>;
    /** Send a delivery again */
    resend: Mutation<WebhookDeliveriesResendInput, WebhookDeliveriesResendOutput>;
  };
};

/** The operations that change nothing. */
export const QUERIES: ReadonlySet<string> = new Set([
  'workspaces.get',
  'apiKeys.get',
  'quotas.get',
  'authTokens.get',
  'apiKeyConfig.get',
  'domains.get',
  'emailConfig.get',
  'webhookConfig.get',
  'activityConfig.get',
  'notificationConfig.get',
  'advancedWebhookConfig.get',
  'permissions.get',
  'permissions.explain',
  'organizations.get',
  'organizations.transferStatus',
  'folders.get',
  'documents.get',
  'users.get',
  'userGroups.get',
  'crdt.get',
  'crdt.versions.list',
  'commentAnnotations.get',
  'commentAnnotations.getGrouped',
  'commentAnnotations.count',
  'comments.get',
  'presence.get',
  'activities.get',
  'activities.export',
  'activities.verify',
  'notifications.get',
  'notifications.unreadCount',
  'notifications.explain',
  'notifications.config.get',
  'recordings.get',
  'attachments.get',
  'userData.get',
  'userData.deleteStatus',
  'memory.judgments.query',
  'memory.alerts.config.get',
  'memory.alerts.list',
  'memory.search',
  'memory.suggest',
  'events.get',
  'webhookEndpoints.get',
  'webhookEndpoints.secret.get',
  'webhookDeliveries.get',
]);

export const SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  'comments.changes',
  'presence.changes',
  'notifications.changes',
  'rewriter.stream',
]);
