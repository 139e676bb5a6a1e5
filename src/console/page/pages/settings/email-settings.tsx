import { Group, NativeSelect, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { EmailConfig } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Secret } from '../../parts/secret.tsx';

type Config = EmailConfig['emailServiceConfig'];
type Values = Config & { useEmailService: boolean };

const TEXTS = [
  ['fromEmail', 'Sender address'],
  ['fromCompany', 'Sender name'],
  ['commentTemplateId', 'Template of comments'],
  ['tagTemplateId', 'Template of mentions'],
] as const;

/** Whether and how mails are sent. */
export function EmailSettings() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['email config', apiKey],
    queryFn: async ({ signal }): Promise<Values> => {
      const { useEmailService, emailServiceConfig } = await client.emailConfig.get({}, { signal });
      // The stored key stays out of the cache. In the form, a new one replaces it.
      return { useEmailService, ...emailServiceConfig, apiKey: '' };
    },
  });
  return (
    <Stack maw={640}>
      <Loaded query={config}>{(stored) => <Fields stored={stored} />}</Loaded>
      <Group>
        <CopyCurl operation="emailConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

function Fields({ stored }: { stored: Values }) {
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
        label="Send mails"
        description="About comments, to those whom they concern and who want them."
        checked={draft.useEmailService}
        onChange={({ currentTarget }) => set({ useEmailService: currentTarget.checked })}
      />
      <NativeSelect
        label="Sent by"
        data={[
          { value: 'default', label: "The server's own mail settings" },
          { value: 'external', label: 'A provider, with a key and templates of yours' },
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
      <PasswordInput
        label="New key of the provider"
        description="Left empty, the stored one stays."
        value={draft.apiKey}
        onChange={({ currentTarget }) => set({ apiKey: currentTarget.value })}
        error={problem('emailServiceConfig.apiKey')}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the new key' }}
      />
      <Secret
        label="stored key"
        read={async () => (await client.emailConfig.get({})).emailServiceConfig.apiKey}
      />
    </ConfigForm>
  );
}
