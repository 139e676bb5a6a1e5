import type { Services } from '../api/context.ts';
import { deleteUsedTickets } from '../api/credentials/stream-tickets.ts';
import { deleteExpiredReservations } from '../api/idempotency/reservations.ts';
import { router } from '../api/procedures.ts';
import type { EventReader } from '../platform/events/event-reader.ts';
import type { EventTypes } from '../platform/events/event-types.ts';
import type { JobHandler } from '../platform/jobs/job.ts';
import type { PeriodicTask } from '../platform/loops/periodic-tasks.ts';
import type { BacklogQueue } from '../platform/processes/backlog.ts';
import { deleteOldProcessMetrics } from '../platform/processes/process-history.ts';
import type { Worker } from '../platform/worker.ts';
import { activitiesRouter } from './activity/operations.ts';
import { activityReader } from './activity/record-events.ts';
import { activityConfigRouter } from './activity/settings/activity-config-operations.ts';
import { verifyChains } from './activity/verify-activities.ts';
import { apiKeysRouter, authTokensRouter } from './api-keys/operations.ts';
import { apiKeyConfigRouter } from './api-keys/settings/api-key-config-operations.ts';
import { domainsRouter } from './api-keys/settings/domains-operations.ts';
import { archivedTables } from './archived-tables.ts';
import { attachmentEventTypes } from './attachments/events.ts';
import { attachmentsRouter } from './attachments/operations.ts';
import { removeFiles } from './attachments/remove-files.ts';
import { attachmentsOfUser } from './attachments/user-data.ts';
import { commentAnnotationsRouter } from './comments/annotations/operations.ts';
import { commentsRouter } from './comments/comments/operations.ts';
import { commentEventTypes } from './comments/events.ts';
import { reactionsRouter } from './comments/reactions/operations.ts';
import { suggestionsRouter } from './comments/suggestions/operations.ts';
import { annotationsOfUser, reactionsOfUser } from './comments/user-data.ts';
import { seesAnyAnnotation } from './comments/visibility/load-visibility.ts';
import { crdtEventTypes } from './crdt/events.ts';
import { deleteOldHistory } from './crdt/history/keep-history.ts';
import { crdtRouter } from './crdt/operations.ts';
import { dependents } from './dependents.ts';
import {
  deleteFolderHandler,
  deleteOrganizationHandler,
} from './directory/deletion/deletion-jobs.ts';
import { directoryEventTypes } from './directory/events.ts';
import { documentsRouter } from './directory/operations/documents.ts';
import { foldersRouter } from './directory/operations/folders.ts';
import { organizationProcedures } from './directory/operations/organizations.ts';
import { mailQueue, moveOldMails } from './email/mail-jobs.ts';
import { mailReader } from './email/mail-reader.ts';
import { mailHandlers } from './email/send-mail.ts';
import { emailConfigRouter } from './email/settings/email-config-operations.ts';
import { eraseUsersHandler } from './erasure/erase-users-job.ts';
import { erasureProcedures } from './erasure/operations.ts';
import { erasureSteps, peopleQueries } from './erasure-steps.ts';
import { eventsRouter } from './events/operations.ts';
import { deleteExpiredEvents } from './events/retention.ts';
import { checkJudgments } from './memory/alerts/check-judgments.ts';
import { memoryEventTypes } from './memory/alerts/events.ts';
import { judgmentDeletionHandlers, judgmentReader } from './memory/learn/judge-events.ts';
import { memoryRouter } from './memory/operations.ts';
import { notificationEventTypes } from './notifications/events.ts';
import { nextBatchDue, releaseBatches } from './notifications/generate/batches.ts';
import { notificationReader } from './notifications/generate/notification-reader.ts';
import { notificationsRouter } from './notifications/operations.ts';
import { notificationConfigRouter } from './notifications/settings/operations.ts';
import { notificationsOfUser } from './notifications/user-data.ts';
import { permissionEventTypes } from './permissions/events.ts';
import { authRouter, permissionsRouter } from './permissions/operations.ts';
import { presenceEventTypes } from './presence/events.ts';
import { presenceRouter } from './presence/operations.ts';
import { deleteExpiredPresence, publishTimeouts } from './presence/publish-timeouts.ts';
import { measureStorage, nextMeasurementDue } from './quotas/measure-storage.ts';
import { quotasRouter } from './quotas/operations.ts';
import { recordingEventTypes } from './recordings/events.ts';
import { recordingsRouter } from './recordings/operations.ts';
import { recordingsOfUser } from './recordings/user-data.ts';
import { rewriterEventTypes } from './rewriter/events.ts';
import { rewriterRouter } from './rewriter/operations.ts';
import { transferProcedures } from './transfer/operations.ts';
import { exportHandler, importHandler } from './transfer/run-transfer.ts';
import { deleteExpiredTransfers } from './transfer/transfers.ts';
import type { UserDataSources } from './user-data/get-user-data.ts';
import { userDataProcedures } from './user-data/operations.ts';
import { userGroupEventTypes } from './user-groups/events.ts';
import { userGroupsRouter } from './user-groups/operations.ts';
import { userEventTypes } from './users/events.ts';
import { usersRouter } from './users/operations.ts';
import { deliveryQueues } from './webhooks/deliveries/backlog.ts';
import { deleteExpiredDeliveries } from './webhooks/deliveries/delete-expired-deliveries.ts';
import { webhookWorker } from './webhooks/engine/dispatcher.ts';
import { nextLeaseExpiry, releaseExpiredLeases } from './webhooks/engine/queue-store.ts';
import { webhookEventTypes } from './webhooks/events.ts';
import { webhookDeliveriesRouter, webhookEndpointsRouter } from './webhooks/operations.ts';
import {
  advancedWebhookConfigRouter,
  webhookConfigRouter,
} from './webhooks/settings/operations.ts';
import { webhookReader } from './webhooks/webhook-reader.ts';
import { workspacesRouter } from './workspaces/operations.ts';

/** The sources of user data (specification 4.16). */
const userDataSources: UserDataSources = {
  comments: annotationsOfUser,
  reactions: reactionsOfUser,
  recordings: recordingsOfUser,
  attachments: attachmentsOfUser,
  notifications: notificationsOfUser,
};

/**
 * All operations, one line for each feature. Typed clients call them by dotted names, e.g.
 * `users.add`.
 */
export const appRouter = router({
  workspaces: workspacesRouter,
  apiKeys: apiKeysRouter,
  quotas: quotasRouter,
  authTokens: authTokensRouter,
  apiKeyConfig: apiKeyConfigRouter,
  domains: domainsRouter,
  emailConfig: emailConfigRouter,
  webhookConfig: webhookConfigRouter,
  activityConfig: activityConfigRouter,
  notificationConfig: notificationConfigRouter,
  advancedWebhookConfig: advancedWebhookConfigRouter,
  auth: authRouter,
  permissions: permissionsRouter,
  organizations: router({ ...organizationProcedures(dependents), ...transferProcedures }),
  folders: foldersRouter(dependents),
  documents: documentsRouter(dependents),
  users: usersRouter(dependents),
  userGroups: userGroupsRouter,
  crdt: crdtRouter,
  commentAnnotations: commentAnnotationsRouter,
  comments: commentsRouter,
  reactions: reactionsRouter,
  suggestions: suggestionsRouter,
  presence: presenceRouter,
  activities: activitiesRouter,
  notifications: notificationsRouter,
  recordings: recordingsRouter,
  attachments: attachmentsRouter(seesAnyAnnotation),
  rewriter: rewriterRouter,
  userData: router({
    ...userDataProcedures(userDataSources),
    ...erasureProcedures({ steps: erasureSteps, queries: peopleQueries }),
  }),
  memory: memoryRouter,
  events: eventsRouter,
  webhookEndpoints: webhookEndpointsRouter,
  webhookDeliveries: webhookDeliveriesRouter,
});

export type AppRouter = typeof appRouter;

export const jobHandlers: Array<JobHandler<Services>> = [
  deleteFolderHandler(dependents),
  deleteOrganizationHandler(dependents),
  eraseUsersHandler(erasureSteps),
  ...judgmentDeletionHandlers,
  exportHandler(archivedTables),
  importHandler(archivedTables),
  ...mailHandlers,
];

export const periodicTasks: Array<PeriodicTask<Services>> = [
  { name: 'stored-bytes', nextDue: nextMeasurementDue, run: measureStorage },
  { name: 'expired-presence', intervalMs: 30_000, run: deleteExpiredPresence },
  { name: 'presence-timeouts', intervalMs: 5_000, run: publishTimeouts },
  { name: 'notification-batches', nextDue: nextBatchDue, run: releaseBatches },
  { name: 'old-mails', intervalMs: 60_000, run: moveOldMails },
  { name: 'expired-events', intervalMs: 60_000, run: deleteExpiredEvents },
  { name: 'idempotency-keys', intervalMs: 60_000, run: deleteExpiredReservations },
  { name: 'stream-tickets', intervalMs: 60_000, run: deleteUsedTickets },
  { name: 'attachment-files', intervalMs: 60_000, run: removeFiles },
  { name: 'expired-archives', intervalMs: 60_000, run: deleteExpiredTransfers },
  { name: 'expired-deliveries', intervalMs: 60_000, run: deleteExpiredDeliveries },
  { name: 'expired-leases', nextDue: nextLeaseExpiry, run: releaseExpiredLeases },
  { name: 'live-document-history', intervalMs: 60_000, run: deleteOldHistory },
  { name: 'old-process-metrics', intervalMs: 600_000, run: deleteOldProcessMetrics },
  { name: 'activity-chains', intervalMs: 300_000, run: verifyChains },
  { name: 'memory-alerts', intervalMs: 60_000, run: checkJudgments },
];

/** The types of events, one line for each feature. */
export const eventTypes: EventTypes = {
  ...directoryEventTypes,
  ...userEventTypes,
  ...userGroupEventTypes,
  ...permissionEventTypes,
  ...commentEventTypes,
  ...recordingEventTypes,
  ...attachmentEventTypes,
  ...notificationEventTypes,
  ...presenceEventTypes,
  ...crdtEventTypes,
  ...rewriterEventTypes,
  ...webhookEventTypes,
  ...memoryEventTypes,
};

export const eventReaders: Array<EventReader<Services>> = [
  activityReader,
  notificationReader,
  mailReader,
  webhookReader,
  judgmentReader,
];

/** The queues whose backlogs the metrics report. */
export const queues: BacklogQueue[] = [mailQueue, ...deliveryQueues];

/** The workers with queues of their own. */
export const workers: Array<Worker<Services>> = [webhookWorker];
