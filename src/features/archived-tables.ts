import type { ArchivedTable } from '../platform/archives/archived-table.ts';
import { archivedActivities, archivedChains } from './activity/archive.ts';
import { archivedKey } from './api-keys/archive.ts';
import { archivedAttachments } from './attachments/archive.ts';
import {
  archivedAnnotations,
  archivedAnnotationUsers,
  archivedComments,
  archivedCounters,
  archivedReactions,
} from './comments/archive.ts';
import {
  archivedClients,
  archivedEditors,
  archivedTombstones,
  archivedUpdates,
  archivedVersions,
} from './crdt/archive.ts';
import { archivedDocuments, archivedFolders, archivedOrganizations } from './directory/archive.ts';
import { archivedJudgments, archivedWatches } from './memory/archive.ts';
import {
  archivedInboxes,
  archivedNotifications,
  archivedPreferences,
  hasPreferences,
  isNotified,
  requireNotificationConfig,
} from './notifications/archive.ts';
import { archivedGrants, isGranted } from './permissions/archive.ts';
import { archivedRecordings } from './recordings/archive.ts';
import { archivedSettings } from './settings/archive.ts';
import { archivedGroups, archivedMembers, isInGroup } from './user-groups/archive.ts';
import { archivedUsers } from './users/archive.ts';

/** The tables in archives, each after those that its rows refer to. */
export const archivedTables: ArchivedTable[] = [
  archivedKey,
  // The settings of all features are one row. Notifications check theirs.
  { ...archivedSettings, finish: requireNotificationConfig },
  archivedWatches,
  archivedOrganizations,
  archivedFolders,
  archivedDocuments,
  archivedUsers([isGranted, isInGroup, isNotified, hasPreferences]),
  archivedGroups,
  archivedMembers,
  archivedGrants,
  archivedAnnotations,
  archivedCounters,
  archivedComments,
  archivedReactions,
  archivedAnnotationUsers,
  archivedNotifications,
  archivedInboxes,
  archivedPreferences,
  archivedEditors,
  archivedUpdates,
  archivedVersions,
  archivedClients,
  archivedTombstones,
  archivedRecordings,
  archivedChains,
  archivedActivities,
  archivedJudgments,
  archivedAttachments,
];
