import { Box, Button, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';

/** A text for machines, which a click copies. It is text to the browser, whatever is in it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <Box pos="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
      <section className="console-code" tabIndex={0} aria-label={label}>
        {text}
      </section>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            size="compact-xs"
            variant="default"
            pos="absolute"
            top={6}
            right={6}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Box>
  );
}

/** A value as indented JSON. */
export const Json = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
);

interface FoldProps {
  title: ReactNode;
  isOpen?: boolean;
  onOpen?: () => void;
  children: ReactNode;
}

/** A part of a page that is unfolded when somebody asks for it. */
export const Fold = ({ title, isOpen = false, onOpen, children }: FoldProps) => (
  <details
    className="console-fold"
    open={isOpen}
    onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}
  >
    <summary>{title}</summary>
    {children}
  </details>
);
