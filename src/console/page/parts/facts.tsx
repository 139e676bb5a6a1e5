import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The facts about one thing: names with values. Undefined facts are left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="console-facts">
      {Object.entries(facts).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0}>
              {value}
            </Text>
          </div>
        ),
      )}
    </dl>
  );
}
