import { erasedAnswers } from '../api/idempotency/erased-answers.ts';
import type { PeopleQueries } from '../platform/erasure/people.ts';
import type { ErasureStep } from '../platform/erasure/step.ts';
import { erasedInActivities, quotedInActivities } from './activity/erasure.ts';
import { deleteAttachmentsOfErasedUsers, eraseInAttachments } from './attachments/erasure.ts';
import {
  clearMentions,
  deleteCommentsOfErasedUsers,
  deleteEmptyAnnotations,
  eraseInAnnotations,
  eraseInComments,
  eraseInReactions,
  eraseInSubscriptions,
  eraseReactions,
  eraseSubscriptions,
  namesInAnnotations,
  recomputeLastComments,
} from './comments/erasure.ts';
import {
  erasedEditorHistory,
  erasedInEditorClients,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
} from './crdt/erasure.ts';
import { metadataNamingErased } from './directory/erasure.ts';
import { eraseEmails } from './email/erasure.ts';
import { droppedEventCopies, erasedInEvents, quotedInEvents } from './events/erasure.ts';
import {
  erasedInAlerts,
  erasedInJudgments,
  formerJudgmentsStep,
  judgmentsByUsersOrOnEvents,
  judgmentsOnComments,
  quotedAlert,
} from './memory/erasure.ts';
import {
  deleteNotificationsOfErasedUsers,
  deleteOrphanedNotifications,
  eraseInboxes,
  eraseInNotifications,
  erasePreferences,
  eraseQuotesInNotifications,
  hasNotifications,
  quotedNotification,
} from './notifications/erasure.ts';
import { erasedGrants, hasGrant, organizationsOfGrants } from './permissions/erasure.ts';
import { erasedConnections, erasedPresence } from './presence/erasure.ts';
import { erasedRecordings, recordingsNamingErased } from './recordings/erasure.ts';
import { awaitedImports } from './transfer/erasure.ts';
import {
  erasedMemberships,
  groupsNamingErased,
  hasGroup,
  organizationsOfGroups,
} from './user-groups/erasure.ts';
import {
  announcedErasures,
  erasedUsers,
  profileNames,
  usersNamingErased,
} from './users/erasure.ts';
import { eraseReceiverAnswers } from './webhooks/erasure.ts';

export const peopleQueries: PeopleQueries = {
  names: [profileNames, namesInAnnotations],
  organizations: [organizationsOfGrants, organizationsOfGroups],
};

const quotes = [quotedNotification, quotedAlert];

/**
 * The steps that erase users, one for each kind of data; a new table with users needs a step here.
 * Access is removed first, so that nothing new is written. Data that readers derive from events is
 * erased after the events.
 */
export const erasureSteps: ErasureStep[] = [
  erasedGrants,
  erasedMemberships,
  erasePreferences,
  eraseInboxes,
  erasedUsers([hasGrant, () => hasGroup, () => hasNotifications]),
  eraseEmails,
  announcedErasures,
  erasedPresence,
  erasedConnections,
  eraseReactions,
  erasedRecordings,
  judgmentsOnComments,
  formerJudgmentsStep,
  judgmentsByUsersOrOnEvents,
  deleteNotificationsOfErasedUsers,
  eraseQuotesInNotifications,
  deleteAttachmentsOfErasedUsers,
  deleteCommentsOfErasedUsers,
  deleteEmptyAnnotations,
  recomputeLastComments,
  deleteOrphanedNotifications,
  eraseSubscriptions,
  clearMentions,
  eraseInAnnotations,
  eraseInComments,
  eraseInSubscriptions,
  eraseInReactions,
  eraseInNotifications,
  recordingsNamingErased,
  eraseInAttachments,
  erasedEditorHistory,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
  erasedInEditorClients,
  ...metadataNamingErased,
  groupsNamingErased,
  usersNamingErased,
  erasedAnswers,
  erasedInEvents(eraseReceiverAnswers),
  quotedInEvents(quotes),
  droppedEventCopies,
  erasedInActivities,
  quotedInActivities(quotes),
  erasedInJudgments,
  erasedInAlerts,
  awaitedImports,
];
