import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { showFailure } from './notices.tsx';
import { CopyText, Note } from './text.tsx';

/** A secret that nobody hides again disappears by itself. */
const SHOWN_MS = 60_000;

interface SecretProps {
  /** The kind of secret, such as `signing secret`. */
  label: string;
  /** Reads it. Only this component keeps the answer, and only while it is shown. */
  read: () => Promise<string>;
}

/** A secret: masked, and read from the server only when somebody asks to see it. */
export function Secret({ label, read }: SecretProps) {
  const [secret, setSecret] = useState<string>();
  const [isReading, setReading] = useState(false);
  useEffect(() => {
    if (secret === undefined) return;
    const timer = setTimeout(() => setSecret(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [secret]);
  const show = async () => {
    setReading(true);
    try {
      setSecret(await read());
    } catch (error) {
      showFailure(error);
    } finally {
      setReading(false);
    }
  };
  if (secret === undefined) {
    return (
      <Group gap="xs" wrap="nowrap">
        <Text className="console-mono" aria-hidden="true">
          ••••••••••••
        </Text>
        <Button size="compact-xs" variant="default" onClick={show} loading={isReading}>
          Show {label}
        </Button>
      </Group>
    );
  }
  return (
    <Group gap="xs">
      {secret === '' ? <Note>Not set</Note> : <CopyText text={secret} label={label} />}
      <Button size="compact-xs" variant="default" onClick={() => setSecret(undefined)}>
        Hide
      </Button>
    </Group>
  );
}
