import { CopyButton, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { Icon } from './icon.tsx';

interface CopyTextProps {
  text: string;
  shown?: string;
  /** A name for screen readers. */
  label?: string;
}

/** An id or another short text, which a click copies. */
export function CopyText({ text, shown = text, label }: CopyTextProps) {
  const name = label ? `${label} ${shown}` : shown;
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <UnstyledButton onClick={copy} aria-label={`Copy ${name}`}>
            <Group gap={4} wrap="nowrap">
              <Text className="console-mono" span>
                {shown}
              </Text>
              <Icon name={copied ? 'check' : 'copy'} size={12} />
            </Group>
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
