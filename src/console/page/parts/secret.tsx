import { Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ActionButton, type ActionButtonProps, LoadingButton } from './action-button.tsx';
import { CopyText, Note } from './basics.tsx';
import { showFailure } from './notices.ts';

/** A secret that is shown is hidden again after this time. */
const SHOWN_MS = 60_000;

interface SecretProps {
  /** The kind of secret, such as `signing secret`. */
  label: string;
  /** Reads the secret, which is kept in memory only while it is shown. */
  read: () => Promise<string>;
  /** A button that replaces the secret. The new secret is not shown until somebody asks for it. */
  replacement?: Omit<ActionButtonProps, 'onDone'>;
}

/** A secret: masked, and read from the server only when somebody asks to see it. */
export function Secret({ label, read, replacement }: SecretProps) {
  const reading = useMutation({ mutationFn: read, onError: showFailure, gcTime: 0 });
  const { data: secret, reset: hide } = reading;
  useEffect(() => {
    if (secret === undefined) return;
    const timer = setTimeout(hide, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [secret, hide]);
  return (
    <Group>
      <Group gap="xs">
        {secret === undefined && (
          <Text className="console-mono" aria-hidden="true">
            ••••••••••••
          </Text>
        )}
        {secret === '' && <Note>Not set</Note>}
        {secret && <CopyText text={secret} label={label} />}
        <LoadingButton
          size="compact-xs"
          variant="default"
          onClick={() => (secret === undefined ? reading.mutate() : hide())}
          loading={reading.isPending}
        >
          {secret === undefined ? `Show ${label}` : 'Hide'}
        </LoadingButton>
      </Group>
      {replacement && <ActionButton size="compact-xs" {...replacement} onDone={hide} />}
    </Group>
  );
}
