import { NumberInput, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Quotas } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { sessionQuery } from '../../api/session.ts';
import { ConfigForm, useConfigForm } from '../../parts/config-form.tsx';
import { Loaded } from '../../parts/loaded.tsx';

const KINDS = [
  ['storageBytes', 'Storage in bytes'],
  ['mailsPerDay', 'Emails per day'],
  ['modelTokensPerDay', 'Model tokens per day'],
] as const;
type Kind = (typeof KINDS)[number][0];
/** An empty text stands for the server's default. */
type Limits = Record<Kind, number | string>;

/** The quotas of the key, and its usage. Only the administrator sees and sets them. */
export function KeyQuotas({ apiKey }: { apiKey: string }) {
  const { client } = useKey();
  const { data: session } = useQuery(sessionQuery);
  const isAdministrator = session?.signedIn?.role === 'administrator';
  const quotas = useQuery({
    queryKey: ['quotas', apiKey],
    queryFn: ({ signal }) => client.quotas.get({ apiKey }, { signal }),
    enabled: isAdministrator,
  });
  if (!isAdministrator) {
    return (
      <Text size="sm" c="dimmed">
        Only the server administrator can see and set quotas.
      </Text>
    );
  }
  return <Loaded query={quotas}>{(found) => <QuotaForm quotas={found} />}</Loaded>;
}

function limitsOf(quotas: Quotas): Limits {
  const limitOf = (kind: Kind) => {
    const { limit, isDefault } = quotas[kind];
    return isDefault ? '' : (limit ?? 0);
  };
  return {
    storageBytes: limitOf('storageBytes'),
    mailsPerDay: limitOf('mailsPerDay'),
    modelTokensPerDay: limitOf('modelTokensPerDay'),
  };
}

function QuotaForm({ quotas }: { quotas: Quotas }) {
  const { client } = useKey();
  const form = useConfigForm(limitsOf(quotas), ['quotas', quotas.apiKey], (changes) => {
    const given = Object.entries(changes).map(([kind, limit]) => [
      kind,
      limit === '' ? null : Number(limit),
    ]);
    return client.quotas.update({ apiKey: quotas.apiKey, ...Object.fromEntries(given) });
  });
  return (
    <ConfigForm form={form}>
      <Text size="sm" c="dimmed">
        Leave empty for the server default. 0 means no limit.
      </Text>
      {KINDS.map(([kind, label]) => (
        <Stack gap={4} key={kind}>
          <NumberInput
            label={label}
            description={usedText(quotas[kind])}
            placeholder={defaultText(quotas[kind])}
            value={form.draft[kind]}
            onChange={(value) => form.set({ [kind]: value })}
            error={form.problem(kind)}
            thousandSeparator=","
            hideControls
          />
          <Used quota={quotas[kind]} label={label} />
        </Stack>
      ))}
    </ConfigForm>
  );
}

type Quota = Quotas[Kind];

const usedText = ({ used }: Quota): string =>
  used === null ? 'Usage is not counted without a quota.' : `${used.toLocaleString('en')} used.`;

const defaultText = ({ limit, isDefault }: Quota): string =>
  isDefault && limit !== null
    ? `${limit.toLocaleString('en')}, by default`
    : 'No quota, by default';

function Used({ quota: { limit, used }, label }: { quota: Quota; label: string }) {
  if (!limit || used === null) return null;
  const percent = Math.min(100, (used / limit) * 100);
  return (
    <Progress.Root>
      <Progress.Section
        value={percent}
        color={percent >= 90 ? 'red' : 'indigo'}
        aria-label={`${label}: ${Math.round(percent)} percent used`}
      />
    </Progress.Root>
  );
}
