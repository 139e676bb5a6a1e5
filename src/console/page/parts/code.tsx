import { Box, Button, CopyButton } from '@mantine/core';

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
