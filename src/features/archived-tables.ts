import { type ArchivedTable, ORGANIZATION, TENANT } from '../platform/archives/archived-table.ts';
import { identifier } from '../platform/database/columns.ts';
import { join, sql } from '../platform/database/database.ts';
import { archivedActivities, archivedChains } from './activity/archive.ts';
import { archivedKey } from './api-keys/archive.ts';
import { archivedAttachments } from './attachments/archive.ts';
import { archivedAnnotations, ofAnnotations } from './comments/archive.ts';
import { archivedEditors, ofEditors } from './crdt/archive.ts';
import { archivedFolders, archivedOrganizations } from './directory/archive.ts';
import { archivedJudgments, archivedWatches } from './memory/archive.ts';
import {
  archivedInboxes,
  archivedNotifications,
  requireNotificationConfig,
} from './notifications/archive.ts';
import { archivedGrants } from './permissions/archive.ts';
import { archivedSettings } from './settings/archive.ts';

/** The tables of an organization whose rows refer to users. */
const REFERRERS = [
  'grants',
  'user_group_members',
  'notification_recipients',
  'notification_preferences',
];

/**
 * An organization's archive has only the users to whom its rows refer (`t` in SQL). An import does not change
 * users who already exist. The epoch of a user's tokens belongs to the server, so archives leave it out.
 */
const archivedUsers: ArchivedTable = {
  name: 'users',
  ofOrganization: join(
    REFERRERS.map(
      (table) => sql`EXISTS (
        SELECT FROM ${identifier(table)} referrer
        WHERE referrer.tenant_id = ${TENANT} AND referrer.user_id = t.user_id
          AND referrer.organization_id = ${ORGANIZATION})`,
    ),
    ' OR ',
    '(',
    ')',
  ),
  omitted: ['token_epoch'],
  existing: 'kept',
};

/**
 * The tables in archives, each after the tables that its rows refer to. A table with rules of its own is
 * defined by its feature.
 */
export const archivedTables: ArchivedTable[] = [
  archivedKey,
  // One row has the settings of all features. After an import, the notification settings are checked.
  { ...archivedSettings, finish: requireNotificationConfig },
  archivedWatches,
  archivedOrganizations,
  archivedFolders,
  { name: 'documents' },
  archivedUsers,
  { name: 'user_groups' },
  { name: 'user_group_members' },
  archivedGrants,
  archivedAnnotations,
  { name: 'annotation_counters' },
  ...['comments', 'comment_reactions', 'annotation_users'].map(ofAnnotations),
  archivedNotifications,
  archivedInboxes,
  { name: 'notification_preferences' },
  archivedEditors,
  ...['crdt_updates', 'crdt_versions', 'crdt_clients'].map(ofEditors),
  { name: 'crdt_tombstones' },
  // Positions belong to the server, so an archive keeps only the order of the rows.
  { name: 'recordings', order: sql`t.position`, omitted: ['position'] },
  archivedChains,
  archivedActivities,
  archivedJudgments,
  archivedAttachments,
];
