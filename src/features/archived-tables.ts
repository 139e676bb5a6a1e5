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
 * An organization's archive holds the users `t` to whom its rows refer. Those that the server knows
 * already are kept as they are. The epoch of their tokens belongs to the server.
 */
const archivedUsers: ArchivedTable = {
  name: 'users',
  ofOrganization: join(
    REFERRERS.map(
      (table) => sql`EXISTS (
        SELECT FROM ${identifier(table)} own
        WHERE own.tenant_id = ${TENANT} AND own.user_id = t.user_id
          AND own.organization_id = ${ORGANIZATION})`,
    ),
    ' OR ',
    '(',
    ')',
  ),
  omitted: ['token_epoch'],
  existing: 'kept',
};

/**
 * The tables in archives, each after those that its rows refer to. Features define those with rules of
 * their own.
 */
export const archivedTables: ArchivedTable[] = [
  archivedKey,
  // One row has the settings of all features. After an import, notifications check theirs.
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
  // Positions belong to the server, so an archive has only the order of the rows.
  { name: 'recordings', order: sql`t.position`, omitted: ['position'] },
  archivedChains,
  archivedActivities,
  archivedJudgments,
  archivedAttachments,
];
