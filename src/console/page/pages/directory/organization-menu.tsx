import { Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Organization } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { failed } from '../../parts/notices.ts';
import { requireDone } from './outcomes.ts';
import { useRenew } from './use-renew.ts';

/** The actions on an organization itself. */
export function OrganizationMenu({ organization }: { organization: Organization }) {
  const { organizationId, organizationName } = organization;
  const { client } = useKey();
  const [, change] = usePageSearch();
  const [isRenaming, setRenaming] = useState(false);
  const renew = useRenew();
  const deleting = useMutation({
    mutationFn: async () =>
      requireDone(await client.organizations.delete({ organizationIds: [organizationId] })),
    onSuccess: () => {
      change({ organization: undefined, open: undefined, tab: undefined });
      renew(`Organization ${organizationId} is being deleted.`);
    },
    onError: failed,
  });
  return (
    <Group gap="xs">
      <ActButton variant="default" size="xs" onClick={() => setRenaming(true)}>
        Rename
      </ActButton>
      <ActButton
        variant="light"
        color="red"
        size="xs"
        loading={deleting.isPending}
        onClick={() =>
          confirmDestruction({
            title: `Delete organization ${organizationName}?`,
            what: `This deletes ${organizationId} with its folders, documents, live content, comments, groups and roles. It cannot be undone.`,
            act: 'Delete organization',
            onConfirm: () => deleting.mutate(),
          })
        }
      >
        Delete
      </ActButton>
      {isRenaming && (
        <FormDialog
          title={`Rename ${organizationId}`}
          act="Rename"
          fields={[
            { name: 'organizationName', label: 'Name', required: true, initial: organizationName },
          ]}
          submit={async (values) =>
            requireDone(
              await client.organizations.update({
                organizations: [{ organizationId, organizationName: values.organizationName }],
              }),
            )
          }
          onDone={() => {
            setRenaming(false);
            renew('Organization renamed.');
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </Group>
  );
}
