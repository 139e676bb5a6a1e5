import { Accordion, Badge, Group, Text } from '@mantine/core';
import type { AccessRole } from '../../../../client/index.ts';
import { policies } from '../../../../features/access/policies.ts';

const LIMITS: Record<string, string> = {
  author: 'own only',
  self: 'as themselves',
  setting: 'if the key allows it',
};

/** The operations that users with a role on a place may call for it with their tokens. */
const callsOf = (role: AccessRole): Array<{ operation: string; limit: string | undefined }> =>
  Object.entries(policies).flatMap(([resource, operations]) =>
    Object.entries(operations).flatMap(([name, { user }]) =>
      user?.role === role
        ? [{ operation: `${resource}.${name}`, limit: user.limit && LIMITS[user.limit] }]
        : [],
    ),
  );

/** The policies: what follows from the decision. */
export function Allowed({ role }: { role: AccessRole | undefined }) {
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="policy">
        <Accordion.Control>
          <Text size="sm" fw={600}>
            Allowed operations: {role === undefined ? 'none' : `those of ${role}s`}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Calls title="Read" calls={role === undefined ? [] : callsOf('viewer')} />
          <Calls title="Write" calls={role === 'editor' ? callsOf('editor') : []} />
          <Text size="xs" c="dimmed" mt="xs">
            With a user token. An API key has full access to its own data.
          </Text>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function Calls({ title, calls }: { title: string; calls: ReturnType<typeof callsOf> }) {
  return (
    <>
      <Text size="sm" fw={600} mt="xs">
        {title}
      </Text>
      <Group gap={6}>
        {calls.length === 0 && <Text size="sm">Nothing.</Text>}
        {calls.map(({ operation, limit }) => (
          <Badge key={operation} color="gray" tt="none">
            {operation}
            {limit && ` (${limit})`}
          </Badge>
        ))}
      </Group>
    </>
  );
}
