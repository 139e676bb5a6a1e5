import { Group, Text } from '@mantine/core';
import type { ApiKey, Quotas } from '../../../../api/contract.ts';
import { usePageKey } from '../../api/read.ts';
import { usePerson } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Note } from '../../parts/basics.tsx';
import { CopyCurl } from '../../parts/calls.tsx';
import { FormButton } from '../../parts/form.tsx';
import { Section } from '../../parts/panel.tsx';
import { Secret } from '../../parts/secret.tsx';
import { SettingsForm } from '../../parts/settings-form.tsx';

/** The input of a first call, which adds a user to a new organization. */
const FIRST_CALL = { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada Lovelace' }] };

/** One key of the workspace: its name, whether it works, its token and its quotas. */
export function KeyDetails({ apiKey: key }: { apiKey: ApiKey }) {
  const { id, type, disabled } = key;
  const role = usePerson()?.role;
  return (
    <>
      <Facts
        facts={{
          ID: <CopyText text={id} />,
          Type: type,
          Status: disabled ? 'Disabled: all requests are refused' : 'Active',
        }}
      />
      <KeyActions apiKey={key} />
      <Group gap="xs">
        <Text>Add a first user with this key:</Text>
        <CopyCurl name="users.add" input={FIRST_CALL} apiKey={id} />
      </Group>
      <AuthToken apiKey={key} />
      <Section title="Quotas">
        {role === 'administrator' ? (
          <KeyQuotas apiKey={id} />
        ) : (
          <Note>Only the server administrator can see and set quotas.</Note>
        )}
      </Section>
    </>
  );
}

const nameOf = ({ apiKeyName, id }: ApiKey): string => apiKeyName || id;

function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const name = nameOf(apiKey);
  const { id, apiKeyName, disabled } = apiKey;
  return (
    <Group gap="xs">
      <FormButton
        label="Rename"
        title={`Rename ${name}`}
        submitLabel="Rename"
        fields={{ name: 'apiKeyName', label: 'Name', initial: apiKeyName }}
        submit={(call, values: { apiKeyName: string }) =>
          call('apiKeys.update', { apiKey: id, ...values })
        }
        notice="Key renamed."
      />
      <ActionButton
        label={disabled ? 'Enable' : 'Disable'}
        run={(call) => call('apiKeys.update', { apiKey: id, disabled: !disabled })}
        notice={disabled ? `${name} works again.` : `${name} is disabled.`}
        question={disabled ? undefined : `Disable ${name}?`}
        consequences="All requests with this key or its user tokens are refused, and open connections close within a second. Nothing is deleted: when you enable the key again, the same tokens work."
        confirmLabel="Disable key"
      />
    </Group>
  );
}

function AuthToken({ apiKey }: { apiKey: ApiKey }) {
  const { call } = usePageKey();
  const { id } = apiKey;
  const read = async () => {
    const { authTokens } = await call('authTokens.get', { apiKey: id });
    return authTokens.map(({ token }) => token).join(' ');
  };
  return (
    <Section title="Auth token">
      <Note>Your server sends this token with every call. It grants all rights of the key.</Note>
      <Secret
        label="auth token"
        read={read}
        replacement={{
          label: 'Reset',
          run: () => call('authTokens.reset', { apiKey: id }),
          notice: 'Auth token reset. Show the new token, and give it to your server.',
          question: `Reset the auth token of ${nameOf(apiKey)}?`,
          consequences:
            'The current auth token and all user tokens of this key stop working immediately, and open connections close within a second. Give your server the new token.',
          confirmLabel: 'Reset token',
        }}
      />
    </Section>
  );
}

const QUOTA_LABELS = {
  storageBytes: 'Storage in bytes',
  mailsPerDay: 'Emails per day',
  modelTokensPerDay: 'Model tokens per day',
};
type Kind = keyof typeof QUOTA_LABELS;
const KINDS = Object.keys(QUOTA_LABELS) as Kind[];

/** The quotas of the key, and its usage. Only the administrator sees and sets them. */
const KeyQuotas = ({ apiKey }: { apiKey: string }) => (
  <SettingsForm
    settings="quotas"
    shared={{ apiKey }}
    fields={(quotas: Quotas) =>
      KINDS.map((kind) => ({
        name: kind,
        label: QUOTA_LABELS[kind],
        kind: 'number' as const,
        description: usedText(quotas[kind]),
        placeholder: defaultText(quotas[kind]),
      }))
    }
    read={(quotas: Quotas) =>
      Object.fromEntries(
        KINDS.map((kind) => [kind, quotas[kind].isDefault ? '' : (quotas[kind].limit ?? 0)]),
      )
    }
    write={(changes) =>
      Object.fromEntries(
        Object.entries(changes).map(([kind, limit]) => [kind, limit === '' ? null : limit]),
      )
    }
  >
    <Note>Leave empty for the server default. 0 means no limit.</Note>
  </SettingsForm>
);

function usedText({ used, limit }: Quotas[Kind]): string {
  if (used === null) return 'Usage is not counted without a quota.';
  const share = limit ? `, ${Math.round((100 * used) / limit)} %` : '';
  return `${used.toLocaleString('en')} used${share}.`;
}

const defaultText = ({ limit, isDefault }: Quotas[Kind]): string =>
  isDefault && limit !== null
    ? `${limit.toLocaleString('en')}, by default`
    : 'No quota, by default';
