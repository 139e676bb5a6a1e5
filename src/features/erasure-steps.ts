import { eraseStoredResponses } from '../api/idempotency/erase-responses.ts';
import type { PeopleQueries } from '../platform/erasure/people.ts';
import type { ErasureStep } from '../platform/erasure/step.ts';
import { eraseInActivities, eraseQuotesInActivities } from './activity/erasure.ts';
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
  eraseEditorHistory,
  eraseInEditorClients,
  eraseInEditors,
  eraseInEditorUpdates,
  eraseInEditorVersions,
} from './crdt/erasure.ts';
import { eraseInResourceMetadata } from './directory/erasure.ts';
import { eraseEmails } from './email/erasure.ts';
import { dropEventCopies, eraseInEvents, eraseQuotesInEvents } from './events/erasure.ts';
import {
  deleteJudgmentsByUsersOrOnEvents,
  deleteJudgmentsOnComments,
  eraseInAlerts,
  eraseInJudgments,
  formerJudgmentsStep,
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
import { eraseGrants, hasGrant, organizationsOfGrants } from './permissions/erasure.ts';
import { erasePresence, erasePresenceConnections } from './presence/erasure.ts';
import { eraseInRecordings, eraseRecordings } from './recordings/erasure.ts';
import { awaitImports } from './transfer/erasure.ts';
import {
  eraseInGroups,
  eraseMemberships,
  hasGroup,
  organizationsOfGroups,
} from './user-groups/erasure.ts';
import { announceErasures, eraseInUsers, eraseUsers, profileNames } from './users/erasure.ts';
import { eraseReceiverResponses } from './webhooks/erasure.ts';

export const peopleQueries: PeopleQueries = {
  names: [profileNames, namesInAnnotations],
  organizations: [organizationsOfGrants, organizationsOfGroups],
};

const quotes = [quotedNotification, quotedAlert];

/**
 * The steps that erase users, one for each kind of data; a new table with users needs a step here. Steps
 * named `eraseIn…` remove the users from data that stays. Access is removed first, so that nothing new is
 * written. Data that readers derive from events is erased after the events.
 */
export const erasureSteps: ErasureStep[] = [
  eraseGrants,
  eraseMemberships,
  erasePreferences,
  eraseInboxes,
  eraseUsers([hasGrant, () => hasGroup, () => hasNotifications]),
  eraseEmails,
  announceErasures,
  erasePresence,
  erasePresenceConnections,
  eraseReactions,
  eraseRecordings,
  deleteJudgmentsOnComments,
  formerJudgmentsStep,
  deleteJudgmentsByUsersOrOnEvents,
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
  eraseInRecordings,
  eraseInAttachments,
  eraseEditorHistory,
  eraseInEditors,
  eraseInEditorUpdates,
  eraseInEditorVersions,
  eraseInEditorClients,
  ...eraseInResourceMetadata,
  eraseInGroups,
  eraseInUsers,
  eraseStoredResponses,
  eraseInEvents(eraseReceiverResponses),
  eraseQuotesInEvents(quotes),
  dropEventCopies,
  eraseInActivities,
  eraseQuotesInActivities(quotes),
  eraseInJudgments,
  eraseInAlerts,
  awaitImports,
];
