import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
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
          Id: <CopyText text={key.id} />,
          Type: key.type,
          State: key.disabled ? 'Disabled: every request with it is refused' : 'In use',
        }}
      />
      <KeyActs apiKey={key} name={name} />
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
      what: 'Every request with the key or with a token of its users is refused, and their connections end within a second. Nothing is deleted: enabled again, the same tokens work.',
      act: 'Disable key',
      onConfirm: () => switching.mutate(),
    });
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setRenaming(true)}>
        Rename
      </Button>
      <Button
        size="xs"
        variant="light"
        color={disabled ? 'teal' : 'red'}
        onClick={disabled ? () => switching.mutate() : askToDisable}
        loading={switching.isPending}
      >
        {disabled ? 'Enable' : 'Disable'}
      </Button>
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
            done('The key is renamed.');
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
    onSuccess: () => done('There is a new auth token. Show it, and give it to your server.'),
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Reset the auth token of ${name}?`,
      what: 'The present auth token and all user tokens of the key end at once, and connections that were opened with them within a second. Your server must get the new token.',
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
        Your server sends it with the key. It may do everything that the key may.
      </Text>
      <Group>
        <Secret key={resetting.submittedAt} label="auth token" read={read} />
        <Button size="compact-xs" variant="default" onClick={ask} loading={resetting.isPending}>
          Reset
        </Button>
      </Group>
    </>
  );
}
