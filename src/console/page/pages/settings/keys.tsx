import { Alert, Badge, Button, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey, Workspace } from '../../../../api/contract.ts';
import type { InputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { usePerson } from '../../api/session.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Empty, Facts, Loaded } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { FormButton } from '../../parts/form.tsx';
import { FOCUSED_TITLE, Section } from '../../parts/panel.tsx';
import { type Column, onWide, Rows } from '../../parts/rows.tsx';
import { KeyDetails } from './key-details.tsx';

/** The workspace of the chosen key, and all its keys. */
export function Keys() {
  const isOfOneKey = usePerson()?.apiKey !== undefined;
  const workspace = useRead('workspaces.get', isOfOneKey ? undefined : {});
  return isOfOneKey ? (
    <Empty title="Sign in to the workspace to manage keys">
      You are signed in with an API key, which gives access to its own settings only.
    </Empty>
  ) : (
    <Loaded query={workspace}>{(found) => <WorkspaceKeys workspace={found} />}</Loaded>
  );
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
  { head: 'ID', cell: ({ id }) => id, isId: true, ...onWide('14rem') },
];

const WorkspaceKeys = ({ workspace }: { workspace: Workspace }) => (
  <Stack>
    <Facts
      facts={{
        Workspace: workspace.name || 'Unnamed',
        Owner: `${workspace.owner.name} ${workspace.owner.email}`.trim(),
        ID: <CopyText text={workspace.id} />,
        Token: <WorkspaceToken name={workspace.name} />,
      }}
    />
    <Section title="API keys" actions={<CreateKey ownerEmail={workspace.owner.email} />}>
      <Rows
        label="API keys of the workspace"
        rows={Object.values(workspace.apiKeyList)}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        panel={{
          parameter: 'opened',
          title: 'API key',
          nameOf: ({ apiKeyName, id }) => apiKeyName || id,
          show: (key) => <KeyDetails apiKey={key} />,
        }}
      />
    </Section>
  </Stack>
);

const fieldsOf = (ownerEmail: string): Field[] => [
  { name: 'apiKeyName', label: 'Name', description: 'For example: Staging.' },
  {
    name: 'type',
    label: 'Type',
    required: true,
    initial: 'testing',
    options: { testing: 'Testing', production: 'Production' },
  },
  { name: 'ownerEmail', label: "Owner's email", required: true, initial: ownerEmail },
  {
    name: 'useNotificationService',
    label: 'Send notifications',
    kind: 'switch',
    description: 'Turns on notifications for all comment events.',
  },
];

function CreateKey({ ownerEmail }: { ownerEmail: string }) {
  const [, changeSearch] = usePageSearch();
  return (
    <FormButton
      label="Create key"
      button={{ variant: 'filled' }}
      title="Create API key"
      submitLabel="Create key"
      fields={fieldsOf(ownerEmail)}
      submit={(call, key: InputOf<'apiKeys.create'>) =>
        call('apiKeys.create', {
          ...key,
          createAuthToken: true,
          setDefaultNotificationTriggers: key.useNotificationService,
        })
      }
      notice="API key created."
      onDone={(_, { apiKey }) => changeSearch({ opened: apiKey }, 'push')}
    />
  );
}

/** A button that resets the workspace token. The API returns the new token once, and a dialog shows it. */
function WorkspaceToken({ name }: { name: string }) {
  const [token, setToken] = useState<string>();
  const forget = () => setToken(undefined);
  return (
    <>
      <ActionButton
        label="Reset workspace token"
        size="compact-xs"
        run={async (call) => setToken((await call('workspaces.resetToken', {})).authToken)}
        question={`Reset the token of workspace ${name}?`}
        consequences="The current token stops working immediately and ends all console sessions that use it. Tokens of API keys are not affected. The new token is shown only once."
        confirmLabel="Reset token"
      />
      <Modal
        opened={token !== undefined}
        onClose={forget}
        title="New workspace token"
        closeOnClickOutside={false}
        attributes={FOCUSED_TITLE}
      >
        <Stack>
          <Alert color="yellow" title="Copy the token now">
            It cannot be shown again. It gives full control over the keys of this workspace.
          </Alert>
          {token && <CopyText text={token} label="workspace token" />}
          <Button onClick={forget}>Done</Button>
        </Stack>
      </Modal>
    </>
  );
}
