import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ModelProvider } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';

const PROVIDERS: Record<ModelProvider, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};
const NAMES = Object.keys(PROVIDERS) as ModelProvider[];

/** The workspace's keys of model providers. The API shows them masked, to everybody. */
export function ModelKeys() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['model keys', apiKey],
    queryFn: async ({ signal }) => (await client.apiKeyConfig.get({}, { signal })).aiModelApiKey,
  });
  return (
    <Stack maw={640}>
      <Text size="sm" c="dimmed">
        Used for rewrites. They belong to the workspace and are shared by all its API keys.
      </Text>
      <Loaded query={config}>
        {(keys) => (
          <Fields masked={new Map(keys.map((one) => [one.provider, one.customerApiKey]))} />
        )}
      </Loaded>
    </Stack>
  );
}

/** Undefined keeps what is stored. */
const UNCHANGED: Record<ModelProvider, string | undefined> = {
  openai: undefined,
  anthropic: undefined,
  gemini: undefined,
};

function Fields({ masked }: { masked: Map<ModelProvider, string> }) {
  const { client } = useKey();
  const form = useConfigForm(UNCHANGED, ['model keys'], (changes) =>
    client.apiKeyConfig.update({
      aiModelApiKey: NAMES.flatMap((provider) => {
        const customerApiKey = changes[provider];
        return customerApiKey === undefined ? [] : [{ provider, customerApiKey }];
      }),
    }),
  );
  return (
    <ConfigForm form={form}>
      {NAMES.map((provider) => (
        <NewSecret
          key={provider}
          noun={`${PROVIDERS[provider]} key`}
          label={`${PROVIDERS[provider]} key`}
          about={masked.get(provider) ? `Stored: ${masked.get(provider)}.` : 'Not set.'}
          isStored={!!masked.get(provider)}
          value={form.draft[provider]}
          onChange={(value) => form.set({ [provider]: value })}
        />
      ))}
      {form.problem('aiModelApiKey') && (
        <Text size="sm" c="red" role="alert">
          {form.problem('aiModelApiKey')}
        </Text>
      )}
    </ConfigForm>
  );
}
