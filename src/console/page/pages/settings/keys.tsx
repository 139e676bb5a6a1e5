import { Badge, Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiKey, Workspace } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { sessionQuery } from '../../api/session.ts';
import { usePageSearch } from '../../app/use-search.ts';
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
      <Empty title="This needs the workspace">
        You signed in with an API key. Sign in with the workspace&apos;s id and token to manage its
        keys; the other settings of this key are here.
      </Empty>
    );
  }
  return <Loaded query={workspace}>{(found) => <WorkspaceKeys workspace={found} />}</Loaded>;
}

const COLUMNS: Column<ApiKey>[] = [
  { head: 'Name', cell: ({ apiKeyName }) => apiKeyName || 'Unnamed' },
  { head: 'Type', cell: ({ type }) => type, width: '7rem' },
  {
    head: 'State',
    cell: ({ disabled }) => (
      <Badge color={disabled ? 'gray' : 'teal'}>{disabled ? 'disabled' : 'in use'}</Badge>
    ),
    width: '7rem',
  },
  {
    head: 'Id',
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
          Id: <CopyText text={workspace.id} />,
          Token: <WorkspaceToken name={workspace.name} />,
        }}
      />
      <Group justify="space-between">
        <Title order={2} size="h4">
          API keys
        </Title>
        <Button
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => setSearch({ create: 'key' }, 'push')}
        >
          New key
        </Button>
      </Group>
      <Rows
        label="API keys of the workspace"
        rows={keys}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        onOpen={({ id }) => setSearch({ opened: id }, 'push')}
        isOpen={({ id }) => id === opened}
      />
      <Group justify="flex-end">
        <CopyCurl operation="workspaces.get" input={{}} />
      </Group>
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
