import { Group, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { done, failed } from '../../parts/notices.ts';
import { Secret } from '../../parts/secret.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { KeyQuotas } from './key-quotas.tsx';
import { refreshKeys } from './refresh-keys.ts';

interface KeyPanelProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** One key of the workspace: its name, whether it works, its token and its quotas. */
export function KeyPanel({ apiKey: key, onClose }: KeyPanelProps) {
  const name = key.apiKeyName || key.id;
  return (
    <SidePanel title={name} isOpen onClose={onClose}>
      <Facts
        facts={{
          ID: <CopyText text={key.id} />,
          Type: key.type,
          Status: key.disabled ? 'Disabled: all requests are refused' : 'Active',
        }}
      />
      <KeyActs apiKey={key} name={name} />
      <Group gap="xs">
        <Text size="sm">Try it:</Text>
        <CopyCurl operation="users.add" input={FIRST_CALL} about={key.id} />
      </Group>
      <Title order={2} size="h5">
        Auth token
      </Title>
      <AuthToken apiKey={key} name={name} />
      <Title order={2} size="h5">
        Quotas
      </Title>
      <KeyQuotas apiKey={key.id} />
    </SidePanel>
  );
}

/** Adds a person to a new organization. */
const FIRST_CALL = {
  organizationId: 'acme',
  users: [{ userId: 'ada', name: 'Ada Lovelace' }],
};

interface NamedKeyProps {
  apiKey: ApiKey;
  name: string;
}

function KeyActs({ apiKey: { id, apiKeyName, disabled }, name }: NamedKeyProps) {
  const { client } = useKey();
  const [isRenaming, setRenaming] = useState(false);
  const switching = useMutation({
    mutationFn: () => client.apiKeys.update({ apiKey: id, disabled: !disabled }),
    onSuccess: () => done(disabled ? `${name} works again.` : `${name} is disabled.`),
    onError: failed,
    onSettled: refreshKeys,
  });
  const askToDisable = () =>
    confirmDestruction({
      title: `Disable ${name}?`,
      what: 'All requests with this key or its user tokens are refused, and open connections close within a second. Nothing is deleted: when you enable the key again, the same tokens work.',
      act: 'Disable key',
      onConfirm: () => switching.mutate(),
    });
  return (
    <Group gap="xs">
      <ActButton size="xs" variant="default" onClick={() => setRenaming(true)}>
        Rename
      </ActButton>
      <ActButton
        size="xs"
        variant="light"
        color={disabled ? 'teal' : 'red'}
        onClick={disabled ? () => switching.mutate() : askToDisable}
        loading={switching.isPending}
      >
        {disabled ? 'Enable' : 'Disable'}
      </ActButton>
      <CopyCurl operation="apiKeys.update" input={{ apiKey: id, apiKeyName }} />
      {isRenaming && (
        <FormDialog
          title={`Rename ${name}`}
          act="Rename"
          fields={[{ name: 'apiKeyName', label: 'Name', initial: apiKeyName }]}
          submit={({ apiKeyName: given = '' }) =>
            client.apiKeys.update({ apiKey: id, apiKeyName: given })
          }
          onDone={() => {
            done('Key renamed.');
            refreshKeys();
            setRenaming(false);
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </Group>
  );
}

function AuthToken({ apiKey: { id }, name }: NamedKeyProps) {
  const { client } = useKey();
  const resetting = useMutation({
    mutationFn: async () => {
      // The answer has the new token, which is shown only on demand.
      await client.authTokens.reset({ apiKey: id });
    },
    onSuccess: () => done('Auth token reset. Show it and give it to your server.'),
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Reset the auth token of ${name}?`,
      what: 'The current auth token and all user tokens of this key stop working immediately, and open connections close within a second. Give your server the new token.',
      act: 'Reset token',
      onConfirm: () => resetting.mutate(),
    });
  const read = async () => {
    const { authTokens } = await client.authTokens.get({ apiKey: id });
    return authTokens.map(({ token }) => token).join(' ');
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        Your server sends it with every call. It grants everything that the key may do.
      </Text>
      <Group>
        <Secret key={resetting.submittedAt} label="auth token" read={read} />
        <ActButton size="compact-xs" variant="default" onClick={ask} loading={resetting.isPending}>
          Reset
        </ActButton>
      </Group>
    </>
  );
}
