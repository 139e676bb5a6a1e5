import { Alert, Button, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
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
      title: `Reset the token of the workspace ${name}?`,
      what: 'The present token ends at once, and with it every console session that was opened with it. The tokens of the API keys stay. The new token is shown only once.',
      act: 'Reset token',
      onConfirm: () => resetting.mutate(),
    });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={ask} loading={resetting.isPending}>
        Reset workspace token
      </Button>
      <Modal
        opened={token !== undefined}
        onClose={() => setToken(undefined)}
        title="The new workspace token"
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Alert color="yellow" title="Copy it now">
            It cannot be shown again. Whoever has it manages the keys of this workspace.
          </Alert>
          {token && <CopyText text={token} label="workspace token" />}
          <Button onClick={() => setToken(undefined)}>I have copied it</Button>
        </Stack>
      </Modal>
    </>
  );
}
