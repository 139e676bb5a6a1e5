import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useKey } from '../api/key.ts';
import { curlOf } from './curl.ts';
import { Icon } from './icon.tsx';

/** Copies the call behind a view or an act. */
export function CopyCurl({ operation, input }: { operation: string; input: unknown }) {
  const { apiKey } = useKey();
  const { copy, copied } = useClipboard();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
      onClick={async () => copy(await curlOf(apiKey, operation, input))}
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </Button>
  );
}
