import { ActionIcon, Group, List, Stack, TagsInput, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { ActButton, useReadOnly } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { fieldErrors, hasFieldErrors } from '../../parts/field-errors.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';

const refresh = () => void queries.invalidateQueries({ queryKey: ['domains'] });

/** From where browsers may use the key. */
export function Domains() {
  const { apiKey, client } = useKey();
  const domains = useQuery({
    queryKey: ['domains', apiKey],
    queryFn: ({ signal }) => client.domains.get({}, { signal }),
  });
  return (
    <Stack maw={640}>
      <Text size="sm" c="dimmed">
        Browsers can use the key only from these domains. Without any, they can use it from
        everywhere.
      </Text>
      <AddDomains />
      <Loaded query={domains}>
        {({ allowedDomains }) =>
          allowedDomains.length === 0 ? (
            <Empty title="All domains are allowed">
              Add the domains of your app to keep other sites from using the key.
            </Empty>
          ) : (
            <List listStyleType="none" spacing="xs">
              {allowedDomains.map((domain) => (
                <Domain key={domain} domain={domain} isLast={allowedDomains.length === 1} />
              ))}
            </List>
          )
        }
      </Loaded>
      <Group>
        <CopyCurl operation="domains.get" input={{}} />
      </Group>
    </Stack>
  );
}

function AddDomains() {
  const { client } = useKey();
  const [domains, setDomains] = useState<string[]>([]);
  const adding = useMutation({
    mutationFn: () => client.domains.add({ domains }),
    onSuccess: () => {
      setDomains([]);
      done('Added.');
    },
    onSettled: refresh,
  });
  return (
    <>
      <Group align="flex-end">
        <TagsInput
          label="Add domains"
          description="For example app.example.com. Press Enter to add one to the list."
          value={domains}
          onChange={setDomains}
          error={fieldErrors(adding.error)('domains')}
          acceptValueOnBlur
          flex={1}
        />
        <ActButton
          onClick={() => adding.mutate()}
          loading={adding.isPending}
          disabled={domains.length === 0}
        >
          Add
        </ActButton>
      </Group>
      {adding.error && !hasFieldErrors(adding.error) && <Failure error={adding.error} />}
    </>
  );
}

function Domain({ domain, isLast }: { domain: string; isLast: boolean }) {
  const { client } = useKey();
  const readOnly = useReadOnly();
  const removing = useMutation({
    mutationFn: () => client.domains.delete({ domains: [domain] }),
    onSuccess: () => done(`Removed ${domain}.`),
    onError: failed,
    onSettled: refresh,
  });
  const ask = () =>
    confirmDestruction({
      title: 'Remove this domain?',
      what: isLast
        ? `This is the last domain. Without it, browsers can use the key from everywhere.`
        : `Browsers on ${domain} can no longer use the key.`,
      act: 'Remove domain',
      onConfirm: () => removing.mutate(),
    });
  return (
    <List.Item>
      <Group gap="xs">
        <Text className="console-mono">{domain}</Text>
        <ActionIcon
          variant="subtle"
          color="red"
          size="sm"
          aria-label={`Remove ${domain}`}
          onClick={ask}
          loading={removing.isPending}
          disabled={readOnly !== undefined}
          title={readOnly}
        >
          <Icon name="bin" size={14} />
        </ActionIcon>
      </Group>
    </List.Item>
  );
}
