import { Group, NativeSelect, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccessRole, AccessType, ApiKeyConfig } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Loaded } from '../../parts/loaded.tsx';

const SWITCHES = [
  ['enablePrivateComments', 'Private comments', 'Allow comments that only their author can see.'],
  [
    'requireAutoOrgUser',
    'Users join their organization',
    'Add users to their organization automatically when they connect.',
  ],
  ['advancedQueries', 'Advanced queries', 'Allow counting and more filters for comment threads.'],
  [
    'allowUserRewrites',
    'Users can use AI models',
    "User tokens can call rewriter.stream, which uses the workspace's model provider keys.",
  ],
] as const;

const TYPES: Array<{ value: AccessType; label: string }> = [
  { value: 'public', label: 'Public' },
  { value: 'organizationPrivate', label: 'Members of the organization' },
  { value: 'restricted', label: 'Only people with a role' },
];
const ROLES: Array<{ value: AccessRole; label: string }> = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'editor', label: 'Editor' },
];

/** How the key treats documents, users and comments where a call says nothing. */
export function KeyBehaviour() {
  const { apiKey, client } = useKey();
  const config = useQuery({
    queryKey: ['key config', apiKey],
    queryFn: ({ signal }) => client.apiKeyConfig.get({}, { signal }),
  });
  return (
    <Stack maw={640}>
      <Loaded query={config}>{(stored) => <Fields stored={stored} />}</Loaded>
      <Group>
        <CopyCurl operation="apiKeyConfig.get" input={{}} />
      </Group>
    </Stack>
  );
}

function Fields({ stored: { aiModelApiKey: _, ...stored } }: { stored: ApiKeyConfig }) {
  const { client } = useKey();
  const form = useConfigForm(stored, ['key config'], (changes) =>
    client.apiKeyConfig.update(changes),
  );
  const { draft, set, problem } = form;
  return (
    <ConfigForm form={form}>
      {SWITCHES.map(([field, label, about]) => (
        <Switch
          key={field}
          label={label}
          description={about}
          checked={draft[field]}
          onChange={({ currentTarget }) => set({ [field]: currentTarget.checked })}
          error={problem(field)}
        />
      ))}
      <NativeSelect
        label="Default access to new documents"
        description="For documents outside folders that are added without an access type."
        data={TYPES}
        value={draft.defaultDocumentAccessType}
        onChange={({ currentTarget }) =>
          set({ defaultDocumentAccessType: currentTarget.value as AccessType })
        }
        error={problem('defaultDocumentAccessType')}
      />
      <NativeSelect
        label="Default role"
        description="For users who are added without a role."
        data={ROLES}
        value={draft.defaultAccessRole}
        onChange={({ currentTarget }) =>
          set({ defaultAccessRole: currentTarget.value as AccessRole })
        }
        error={problem('defaultAccessRole')}
      />
    </ConfigForm>
  );
}
