import { Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { EmailConfig } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';
import { Secret } from '../../parts/secret.tsx';

type Config = EmailConfig['emailServiceConfig'];
type Values = Omit<Config, 'apiKey'> & {
  useEmailService: boolean;
  /** Undefined here, whatever is stored; a new one replaces it, and an empty one removes it. */
  apiKey: string | undefined;
};

const TEXTS = [
  ['fromEmail', 'Sender address'],
  ['fromCompany', 'Sender name'],
  ['commentTemplateId', 'Template ID for comments'],
  ['tagTemplateId', 'Template ID for mentions'],
] as const;

/** Whether and how mails are sent. */
export function EmailSettings() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['email config', apiKey],
    queryFn: async ({ signal }) => {
      const { useEmailService, emailServiceConfig } = await client.emailConfig.get({}, { signal });
      // The stored key stays out of the cache.
      const stored: Values = { useEmailService, ...emailServiceConfig, apiKey: undefined };
      return { stored, hasKey: emailServiceConfig.apiKey !== '' };
    },
  });
  return (
    <Stack maw={640}>
      <Loaded query={config}>{(found) => <Fields {...found} />}</Loaded>
      <Group>
        <CopyCurl operation="emailConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

function Fields({ stored, hasKey }: { stored: Values; hasKey: boolean }) {
  const { client } = useKey();
  const form = useConfigForm(stored, ['email config'], ({ useEmailService, ...config }) =>
    client.emailConfig.update({
      ...(useEmailService !== undefined && { useEmailService }),
      ...(Object.keys(config).length > 0 && { emailServiceConfig: config }),
    }),
  );
  const { draft, set, problem } = form;
  return (
    <ConfigForm form={form}>
      <Switch
        label="Send emails"
        description="About comments, to people who are involved and have not opted out."
        checked={draft.useEmailService}
        onChange={({ currentTarget }) => set({ useEmailService: currentTarget.checked })}
      />
      <NativeSelect
        label="Sent through"
        data={[
          { value: 'default', label: 'Mail settings of the server' },
          { value: 'external', label: 'Your provider, with your key and templates' },
        ]}
        value={draft.type}
        onChange={({ currentTarget }) => set({ type: currentTarget.value as Config['type'] })}
        error={problem('emailServiceConfig.type')}
      />
      {TEXTS.map(([field, label]) => (
        <TextInput
          key={field}
          label={label}
          value={draft[field]}
          onChange={({ currentTarget }) => set({ [field]: currentTarget.value })}
          error={problem(`emailServiceConfig.${field}`)}
        />
      ))}
      <NewSecret
        noun="key"
        label="New provider key"
        isStored={hasKey}
        value={draft.apiKey}
        onChange={(apiKey) => set({ apiKey })}
        error={problem('emailServiceConfig.apiKey')}
      />
      {hasKey && (
        <Secret
          label="stored key"
          read={async () => (await client.emailConfig.get({})).emailServiceConfig.apiKey}
        />
      )}
    </ConfigForm>
  );
}
