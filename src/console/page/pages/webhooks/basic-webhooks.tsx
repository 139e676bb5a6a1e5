import { Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Secret } from '../../parts/secret.tsx';

interface Values {
  useWebhookService: boolean;
  rawNotificationUrl: string;
  processedNotificationUrl: string;
  /** Undefined here, whatever is stored; a new one replaces it, and an empty one removes it. */
  authToken: string | undefined;
}

/** The two older webhooks: unsigned, to fixed addresses. */
export function BasicWebhooks() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['basic webhooks', apiKey],
    queryFn: async ({ signal }) => {
      const { useWebhookService, webhookServiceConfig } = await client.webhookConfig.get(
        {},
        { signal },
      );
      const { authToken, ...addresses } = webhookServiceConfig;
      // The stored token stays out of the cache.
      const values: Values = { useWebhookService, ...addresses, authToken: undefined };
      return { values, hasToken: authToken !== '' };
    },
  });
  return (
    <Stack maw={640}>
      <Text size="sm" c="dimmed">
        Two URLs receive comment events: as they happened, or with the people to notify. Requests
        are not signed, but carry your token.
      </Text>
      <Loaded query={config}>{(stored) => <Fields {...stored} />}</Loaded>
      <PageLink page="webhooks" search={{ tab: 'deliveries', endpoint: 'basic-raw' }}>
        Deliveries of the raw webhook
      </PageLink>
      <Group>
        <CopyCurl operation="webhookConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

const FIELD = 'webhookServiceConfig';

function Fields({ values, hasToken }: { values: Values; hasToken: boolean }) {
  const { client } = useKey();
  const form = useConfigForm(values, ['basic webhooks'], ({ useWebhookService, ...config }) =>
    client.webhookConfig.update({
      ...(useWebhookService !== undefined && { useWebhookService }),
      ...(Object.keys(config).length > 0 && { webhookServiceConfig: config }),
    }),
  );
  const { draft, set, problem } = form;
  return (
    <ConfigForm form={form}>
      <Switch
        label="Send basic webhooks"
        checked={draft.useWebhookService}
        onChange={({ currentTarget }) => set({ useWebhookService: currentTarget.checked })}
      />
      <TextInput
        label="URL for raw events"
        description="Leave empty to turn it off."
        value={draft.rawNotificationUrl}
        onChange={({ currentTarget }) => set({ rawNotificationUrl: currentTarget.value })}
        error={problem(`${FIELD}.rawNotificationUrl`)}
      />
      <TextInput
        label="URL for processed events"
        description="Leave empty to turn it off."
        value={draft.processedNotificationUrl}
        onChange={({ currentTarget }) => set({ processedNotificationUrl: currentTarget.value })}
        error={problem(`${FIELD}.processedNotificationUrl`)}
      />
      <NewSecret
        noun="token"
        label="New token"
        about="Sent with each request as “Authorization: Basic <token>”."
        isStored={hasToken}
        value={draft.authToken}
        onChange={(authToken) => set({ authToken })}
        error={problem(`${FIELD}.authToken`)}
      />
      {hasToken && (
        <Secret
          label="stored token"
          read={async () => (await client.webhookConfig.get({})).webhookServiceConfig.authToken}
        />
      )}
    </ConfigForm>
  );
}
