import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { DeletionStatus } from '../../../../api/contract.ts';
import { useRead } from '../../api/read.ts';
import { CopyText, Facts, inWords, Loaded, Time } from '../../parts/basics.tsx';
import { saveFile } from '../../parts/downloads.ts';

const POLL_MS = 2_000;

/** The progress of an erasure and, at the end, its receipt. */
export function ErasureProgress({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const status = useRead(
    'userData.deleteStatus',
    { jobId },
    { refetchInterval: ({ state }) => (state.data?.isDeleteCompleted ? false : POLL_MS) },
  );
  return (
    <Paper withBorder p="md" component="section" aria-label="Progress of the erasure">
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Text size="sm">Erasure</Text>
            <CopyText text={jobId} />
          </Group>
          <Button size="compact-xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
        <Loaded query={status} lines={2}>
          {(found) =>
            found.isDeleteCompleted ? (
              <Receipt jobId={jobId} status={found} />
            ) : (
              <Text size="sm" role="status">
                Running, {found.tasksLeft} {found.tasksLeft === 1 ? 'task' : 'tasks'} left. You can
                leave this page and come back to it later.
              </Text>
            )
          }
        </Loaded>
      </Stack>
    </Paper>
  );
}

/** The kinds whose names are not words themselves, such as `commentAnnotations`. */
const WORDS: Record<string, string> = {
  activityQuotes: 'Mentions in activity records',
  commentAnnotations: 'Threads',
  commentAnnotationsRemoved: 'Threads deleted',
  documentFields: 'Mentions in documents',
  editorClients: 'Editing sessions',
  editorUpdates: 'Edits',
  eventQuotes: 'Mentions in events',
  folderFields: 'Mentions in folders',
  grants: 'Roles',
  groupFields: 'Mentions in groups',
  inbox: 'Inbox entries',
  notificationQuotes: 'Mentions in notifications',
  notificationsOrphaned: 'Notifications without recipients',
  notificationsWritten: 'Notifications sent',
  organizationFields: 'Mentions in organizations',
  reactionFields: 'Mentions in reactions',
  recordingFields: 'Mentions in recordings',
  subscriptionFields: 'Mentions in subscriptions',
  userFields: 'Mentions in users',
};

function Receipt({ jobId, status }: { jobId: string; status: DeletionStatus }) {
  const { receipt = {}, lastTaskCompletedTime } = status;
  const counts = Object.entries(receipt)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => [WORDS[kind] ?? inWords(kind), count.toLocaleString('en')]);
  const save = () => {
    const text = JSON.stringify({ jobId, ...status }, null, 2);
    saveFile(`erasure-${jobId}.json`, [text], 'application/json');
  };
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        Done {lastTaskCompletedTime && <Time at={lastTaskCompletedTime} />}. Deleted or anonymized:
      </Text>
      {counts.length === 0 ? (
        <Text size="sm">There was nothing to erase.</Text>
      ) : (
        <Facts facts={Object.fromEntries(counts)} />
      )}
      <Group>
        <Button size="compact-sm" variant="default" onClick={save}>
          Download receipt
        </Button>
      </Group>
    </Stack>
  );
}
