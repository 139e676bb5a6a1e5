import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useKey, usePresentKey } from '../api/key.ts';
import { curlOf } from './curl.ts';
import { Icon } from './icon.tsx';

interface CopyCurlProps {
  operation: string;
  input: unknown;
  /** The API key of the call, unless it is that of the page. */
  about?: string;
}

/** Copies the call behind a view or an act. */
export function CopyCurl({ operation, input, about }: CopyCurlProps) {
  const { apiKey: named } = useKey();
  const { key } = usePresentKey();
  const { copy, copied } = useClipboard();
  const caller = { apiKey: about ?? named, workspaceId: key?.workspaceId ?? '' };
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
      onClick={async () => copy(await curlOf(caller, operation, input))}
    >
      {copied ? 'Copied' : 'Copy as curl'}
    </Button>
  );
}
