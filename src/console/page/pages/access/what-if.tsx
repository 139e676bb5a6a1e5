import { Alert, Group, SegmentedControl, Stack } from '@mantine/core';
import type { InputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { cleared, type PageSearch, usePageSearch } from '../../app/search.ts';
import { ACCESS_ROLES } from '../../parts/access-type.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Loaded, Note } from '../../parts/basics.tsx';
import { CopyCurl } from '../../parts/calls.tsx';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isSame, type NamedResource, resourceName, Steps, Verdict } from './steps.tsx';

type Preview = InputOf<'console.access.whatIf'>;
type ResourceRole = Preview['change']['resource'];

/** The URL parameters that describe a change. */
export const WHAT_IF_PARAMS = ['if', 'on', 'role', 'until'] as const;

/** Returns the change to a role that the URL describes; undefined if it describes none. */
function changeOf({ if: act, on, role, until }: PageSearch, organizationId: string) {
  const [, type, id] = /^(organization|folder|document):(.+)$/s.exec(on ?? '') ?? [];
  if ((act !== 'add' && act !== 'remove') || !type || !id) return undefined;
  const resource: ResourceRole = { type: type as NamedResource['type'], id, organizationId };
  if (act === 'remove') return { act, resource } as const;
  const seconds = Math.floor(new Date(until ?? '').getTime() / 1000);
  const accessRole: ResourceRole['accessRole'] = role === 'editor' ? 'editor' : 'viewer';
  const expiresAt = Number.isNaN(seconds) ? undefined : seconds;
  return { act, resource: { ...resource, accessRole, expiresAt } } as const;
}

const ROLE_FILTERS: Filter[] = [
  { name: 'role', label: 'Role', options: ACCESS_ROLES, initial: 'viewer', required: true },
  { name: 'until', label: 'Expires (optional)', kind: 'datetime-local' },
];

/**
 * Lets the person choose a change to a role, and shows the decision after the change: the server makes the change,
 * explains the access, and rolls the change back. The button `Apply` makes the change for good.
 *
 * @param path from the organization down to the resource that the question is about
 */
export function WhatIf({ question, path }: { question: Preview['ask']; path: NamedResource[] }) {
  const { organizationId, userId } = question;
  const [search, changeSearch] = usePageSearch();
  const change = changeOf(search, organizationId);
  const target = path.at(-1);
  const isRemoval = change?.act === 'remove';
  const input = change && { user: { userId }, permissions: { resources: [change.resource] } };
  const resourceFilter: Filter = {
    name: 'on',
    label: 'On',
    options: path.toReversed().map((each) => {
      return { value: `${each.type}:${each.id}`, label: resourceName(each) };
    }),
    initial: search.on,
    required: true,
  };
  const resource = path.find((each) => isSame(each, change?.resource));
  const outcome = useRead(
    'console.access.whatIf',
    change && { ask: question, change: { userId, ...change } },
  );
  return (
    <>
      <Stack gap="sm">
        <Note>Preview a change: nothing is stored until you apply it.</Note>
        <SegmentedControl
          fullWidth
          aria-label="Change to preview"
          data={[
            { value: '', label: 'No change' },
            { value: 'add', label: 'Add role' },
            { value: 'remove', label: 'Remove role' },
          ]}
          value={change?.act ?? ''}
          onChange={(act) =>
            changeSearch({ if: act, on: search.on ?? (target && `${target.type}:${target.id}`) })
          }
        />
        {change && input && (
          <>
            <Filters filters={[resourceFilter, ...(isRemoval ? [] : ROLE_FILTERS)]} />
            <Group gap="xs">
              <ActionButton
                label="Apply"
                size="sm"
                variant="filled"
                run={(call) => call(`permissions.${change.act}`, input)}
                notice={isRemoval ? 'Role removed.' : 'Role added.'}
                onDone={() => changeSearch(cleared(WHAT_IF_PARAMS))}
                question={isRemoval ? `Remove the role of ${userId}?` : undefined}
                consequences={`${userId} loses the role on ${resource ? resourceName(resource) : change.resource.id}. Open editors are closed unless another role gives access.`}
                confirmLabel="Remove role"
              />
              <CopyCurl name={`permissions.${change.act}`} input={input} />
            </Group>
          </>
        )}
      </Stack>
      {change && (
        <Loaded query={outcome}>
          {({ before, after }) => (
            <Stack gap="sm" role="status" aria-label="Result after the change">
              {JSON.stringify(before.decision) === JSON.stringify(after.decision) && (
                <Alert
                  color="gray"
                  icon={<Icon name="bulb" />}
                  title="This would not change the result."
                />
              )}
              <Verdict explanation={after} path={path} isPreview />
              <Steps explanation={after} path={path} />
            </Stack>
          )}
        </Loaded>
      )}
    </>
  );
}
