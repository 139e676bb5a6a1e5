import { Alert, Badge, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiKey, Workspace } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { sessionQuery } from '../../api/session.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyPanel } from './key-panel.tsx';
import { WorkspaceToken } from './workspace-token.tsx';

/** The workspace of the chosen key, and all its keys. */
export function Keys() {
  const { apiKey, client } = useKey();
  const { data: session } = useQuery(sessionQuery);
  const isKeyAlone = session?.signedIn?.apiKey !== undefined;
  const workspace = useQuery({
    queryKey: ['workspace', apiKey],
    queryFn: ({ signal }) => client.workspaces.get({}, { signal }),
    enabled: !isKeyAlone,
  });
  if (isKeyAlone) {
    return (
      <Empty title="Sign in to the workspace to manage keys">
        You are signed in with an API key, which has access to its own settings only.
      </Empty>
    );
  }
  return <Loaded query={workspace}>{(found) => <WorkspaceKeys workspace={found} />}</Loaded>;
}

const COLUMNS: Column<ApiKey>[] = [
  { head: 'Name', cell: ({ apiKeyName }) => apiKeyName || 'Unnamed' },
  { head: 'Type', cell: ({ type }) => type, width: '7rem' },
  {
    head: 'Status',
    cell: ({ disabled }) => (
      <Badge color={disabled ? 'gray' : 'teal'}>{disabled ? 'disabled' : 'active'}</Badge>
    ),
    width: '7rem',
  },
  {
    head: 'ID',
    cell: ({ id }) => <span className="console-mono">{id}</span>,
    width: '14rem',
    onPhones: false,
  },
];

function WorkspaceKeys({ workspace }: { workspace: Workspace }) {
  const [{ opened, create }, setSearch] = usePageSearch();
  const keys = Object.values(workspace.apiKeyList);
  const open = keys.find(({ id }) => id === opened);
  return (
    <Stack>
      <Facts
        facts={{
          Workspace: workspace.name || 'Unnamed',
          Owner: `${workspace.owner.name} ${workspace.owner.email}`.trim(),
          ID: <CopyText text={workspace.id} />,
          Token: <WorkspaceToken name={workspace.name} />,
        }}
      />
      <Group justify="space-between">
        <Title order={2} size="h4">
          API keys
        </Title>
        <ActButton
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => setSearch({ create: 'key' }, 'push')}
        >
          Create key
        </ActButton>
      </Group>
      <Rows
        label="API keys of the workspace"
        rows={keys}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        opens={({ id }) => ({ opened: id })}
        isOpen={({ id }) => id === opened}
      />
      <Group justify="flex-end">
        <CopyCurl operation="workspaces.get" input={{}} />
      </Group>
      {opened && !open && (
        <Alert color="yellow" title={`API key ${opened} not found`} role="status">
          It was deleted, or it belongs to another workspace.
        </Alert>
      )}
      {open && <KeyPanel apiKey={open} onClose={() => setSearch({ opened: undefined })} />}
      {create === 'key' && (
        <CreateKey
          ownerEmail={workspace.owner.email}
          onClose={(made) => setSearch({ create: undefined, opened: made })}
        />
      )}
    </Stack>
  );
}
