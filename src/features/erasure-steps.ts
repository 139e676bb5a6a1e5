import { erasedAnswers } from '../api/idempotency/erased-answers.ts';
import type { PeopleQueries } from '../platform/erasure/people.ts';
import type { ErasureStep } from '../platform/erasure/step.ts';
import { eraseInActivities, eraseQuotesInActivities } from './activity/erasure.ts';
import { erasedInAttachments, uploadedAttachments } from './attachments/erasure.ts';
import {
  deletedComments,
  deletedEmptyAnnotations,
  endedMentions,
  erasedInAnnotations,
  erasedInComments,
  erasedReactions,
  erasedSubscriptions,
  namesInAnnotations,
  reactionsNamingErased,
  recomputedLastComments,
  subscriptionsNamingErased,
} from './comments/erasure.ts';
import {
  erasedEditorHistory,
  erasedInEditorClients,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
} from './crdt/erasure.ts';
import { eraseInResourceMetadata } from './directory/erasure.ts';
import { erasedMails } from './email/erasure.ts';
import { dropEventCopies, eraseInEvents, eraseQuotesInEvents } from './events/erasure.ts';
import {
  erasedInAlerts,
  erasedInJudgments,
  formerJudgmentsStep,
  judgmentsByUsersOrOnEvents,
  judgmentsOnComments,
  quotedAlert,
} from './memory/erasure.ts';
import {
  deletedNotifications,
  erasedInboxes,
  erasedInNotifications,
  erasedPreferences,
  hasNotifications,
  orphanedNotifications,
  quotedInNotifications,
  quotedNotification,
} from './notifications/erasure.ts';
import { eraseGrants, hasGrant, organizationsOfGrants } from './permissions/erasure.ts';
import { erasedConnections, erasedPresence } from './presence/erasure.ts';
import { erasedRecordings, recordingsNamingErased } from './recordings/erasure.ts';
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
 * The steps that erase users, one for each kind of data; a new table with users needs a step here.
 * Access is removed first, so that nothing new is written. Data that readers derive from events is
 * erased after the events.
 */
export const erasureSteps: ErasureStep[] = [
  eraseGrants,
  eraseMemberships,
  erasedPreferences,
  erasedInboxes,
  eraseUsers([hasGrant, () => hasGroup, () => hasNotifications]),
  erasedMails,
  announceErasures,
  erasedPresence,
  erasedConnections,
  erasedReactions,
  erasedRecordings,
  judgmentsOnComments,
  formerJudgmentsStep,
  judgmentsByUsersOrOnEvents,
  deletedNotifications,
  quotedInNotifications,
  uploadedAttachments,
  deletedComments,
  deletedEmptyAnnotations,
  recomputedLastComments,
  orphanedNotifications,
  erasedSubscriptions,
  endedMentions,
  erasedInAnnotations,
  erasedInComments,
  subscriptionsNamingErased,
  reactionsNamingErased,
  erasedInNotifications,
  recordingsNamingErased,
  erasedInAttachments,
  erasedEditorHistory,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
  erasedInEditorClients,
  ...eraseInResourceMetadata,
  eraseInGroups,
  eraseInUsers,
  erasedAnswers,
  eraseInEvents(eraseReceiverResponses),
  eraseQuotesInEvents(quotes),
  dropEventCopies,
  eraseInActivities,
  eraseQuotesInActivities(quotes),
  erasedInJudgments,
  erasedInAlerts,
  awaitImports,
];
