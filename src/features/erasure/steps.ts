import { erasedInActivities, quotedInActivities } from '../activity/erasure.ts';
import { writtenAnnotations, writtenComments } from '../comments/erase-written.ts';
import {
  erasedInAnnotations,
  erasedInComments,
  erasedReactions,
  erasedSubscriptions,
  reactionsNamingErased,
  subscriptionsNamingErased,
} from '../comments/erasure.ts';
import {
  erasedInEditorClients,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
} from '../crdt/erasure.ts';
import { documentsNamingErased } from '../documents/erasure.ts';
import { erasedInEvents, quotedInEvents } from '../events/erasure.ts';
import { foldersNamingErased } from '../folders/erasure.ts';
import {
  judgmentsByErased,
  judgmentsOnErased,
  judgmentsOnErasedEvents,
} from '../memory/erase-judgments.ts';
import { erasedInAlerts, erasedInJudgments } from '../memory/erasure.ts';
import {
  erasedInboxes,
  erasedInNotifications,
  erasedPreferences,
  orphanedNotifications,
  quotedInNotifications,
  writtenNotifications,
} from '../notifications/erasure.ts';
import { organizationsNamingErased } from '../organizations/erasure.ts';
import { erasedGrants } from '../permissions/erasure.ts';
import { erasedConnections, erasedPresence } from '../presence/erasure.ts';
import { erasedRecordings, recordingsNamingErased } from '../recordings/erasure.ts';
import { erasedMemberships, groupsNamingErased } from '../user-groups/erasure.ts';
import { erasedUsers, toldErasures, usersNamingErased } from '../users/erasure.ts';
import { erasedAnswers } from './erased-answers.ts';
import type { Contents } from './schema.ts';
import type { ErasureStep } from './step.ts';

/**
 * Where users are erased, one kind of data a line: a new table with users in it is one more line.
 * What gives access goes first, so that nothing new is written; then what follows from events
 * comes after them, since it was made of them.
 */
export const STEPS: ErasureStep[] = [
  erasedGrants,
  erasedMemberships,
  erasedPreferences,
  erasedInboxes,
  erasedUsers,
  toldErasures,
  erasedPresence,
  erasedConnections,
  erasedReactions,
  erasedRecordings,
  judgmentsByErased,
  judgmentsOnErased,
  judgmentsOnErasedEvents,
  writtenNotifications,
  quotedInNotifications,
  writtenComments,
  writtenAnnotations,
  orphanedNotifications,
  erasedSubscriptions,
  erasedInAnnotations,
  erasedInComments,
  subscriptionsNamingErased,
  reactionsNamingErased,
  erasedInNotifications,
  recordingsNamingErased,
  erasedInEditors,
  erasedInEditorUpdates,
  erasedInEditorVersions,
  erasedInEditorClients,
  organizationsNamingErased,
  foldersNamingErased,
  documentsNamingErased,
  groupsNamingErased,
  usersNamingErased,
  erasedAnswers,
  erasedInEvents,
  quotedInEvents,
  erasedInActivities,
  quotedInActivities,
  erasedInJudgments,
  erasedInAlerts,
];

/** Everything, and then everything again for what was written meanwhile; it is told once. */
export function tasksOf(contents: Contents): string[] {
  const steps = STEPS.filter(({ onlyRemoving }) => !onlyRemoving || contents === 'remove');
  const names = steps.map(({ name }) => name);
  return [...names, ...names.filter((name) => name !== toldErasures.name)];
}

export const stepOf = (name: string): ErasureStep | undefined =>
  STEPS.find((step) => step.name === name);

/** Whether a task begins one of the two rounds. */
export const beginsRound = (name: string | undefined): boolean => name === STEPS[0]?.name;
