import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { failed } from '../../parts/notices.ts';

/** Resets the token of the workspace. The new one is answered once, and shown until it is closed. */
export function WorkspaceToken({ name }: { name: string }) {
  const { client } = useKey();
  const [token, setToken] = useState<string>();
  const resetting = useMutation({
    mutationFn: async () => {
      const { authToken } = await client.workspaces.resetToken({});
      setToken(authToken);
    },
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Reset the token of workspace ${name}?`,
      what: 'The current token stops working immediately and ends all console sessions that use it. Tokens of API keys are not affected. The new token is shown only once.',
      act: 'Reset token',
      onConfirm: () => resetting.mutate(),
    });
  return (
    <>
      <ActButton size="compact-xs" variant="default" onClick={ask} loading={resetting.isPending}>
        Reset workspace token
      </ActButton>
      <Modal
        opened={token !== undefined}
        onClose={() => setToken(undefined)}
        title="New workspace token"
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Alert color="yellow" title="Copy it now">
            It cannot be shown again. It gives full control over the keys of this workspace.
          </Alert>
          {token && <CopyText text={token} label="workspace token" />}
          <Button onClick={() => setToken(undefined)}>Done</Button>
        </Stack>
      </Modal>
    </>
  );
}
