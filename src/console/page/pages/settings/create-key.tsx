import { useKey } from '../../api/key.ts';
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx';
import { done } from '../../parts/notices.ts';
import { refreshKeys } from './refresh-keys.ts';

interface CreateKeyProps {
  ownerEmail: string;
  /** With the id of the key, when one was made. */
  onClose: (apiKey?: string) => void;
}

const fields = (ownerEmail: string): FormField[] => [
  { name: 'apiKeyName', label: 'Name', about: 'For example: Staging.' },
  {
    name: 'type',
    label: 'Type',
    required: true,
    initial: 'testing',
    options: [
      { value: 'testing', label: 'Testing' },
      { value: 'production', label: 'Production' },
    ],
  },
  { name: 'ownerEmail', label: "Owner's email", required: true, initial: ownerEmail },
  {
    name: 'allowedDomains',
    label: 'Allowed domains',
    about:
      'Browsers can use the key only from these domains. Separate with commas; leave empty for all.',
  },
  {
    name: 'useNotificationService',
    label: 'Send notifications',
    kind: 'switch',
    about: 'For all comment events.',
  },
  {
    name: 'requireAutoOrgUser',
    label: 'Add users to their organization automatically',
    kind: 'switch',
  },
  { name: 'enablePrivateComments', label: 'Allow private comments', kind: 'switch' },
];

/** Makes a key with an auth token. */
export function CreateKey({ ownerEmail, onClose }: CreateKeyProps) {
  const { client } = useKey();
  let made: string | undefined;
  return (
    <FormDialog
      title="Create API key"
      act="Create key"
      fields={fields(ownerEmail)}
      submit={async (values) => {
        const notifies = values.useNotificationService === 'true';
        const domains = (values.allowedDomains ?? '').split(',').map((domain) => domain.trim());
        const { apiKey } = await client.apiKeys.create({
          type: values.type === 'production' ? 'production' : 'testing',
          ownerEmail: values.ownerEmail ?? '',
          apiKeyName: values.apiKeyName ?? '',
          allowedDomains: domains.filter((domain) => domain !== ''),
          createAuthToken: true,
          useNotificationService: notifies,
          setDefaultNotificationTriggers: notifies,
          requireAutoOrgUser: values.requireAutoOrgUser === 'true',
          enablePrivateComments: values.enablePrivateComments === 'true',
        });
        made = apiKey;
      }}
      onDone={() => {
        done('API key created.');
        refreshKeys();
        onClose(made);
      }}
      onClose={() => onClose()}
    />
  );
}
