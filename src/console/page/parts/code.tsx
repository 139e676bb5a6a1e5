import { Box, Button, CopyButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** Code or data, which a click copies. The browser shows it as text, whatever is in it. */
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

export const Json = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
);

type FoldProps = { title: ReactNode; isOpenAtFirst?: boolean; children: ReactNode };

/** A part of a page that is rendered only while it is unfolded. */
export function Fold({ title, isOpenAtFirst = false, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      className="console-fold"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
}
