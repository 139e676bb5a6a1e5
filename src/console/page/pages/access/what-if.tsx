import { Group, SegmentedControl, Stack } from '@mantine/core';
import type { InputOf } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { useRead } from '../../api/read.ts';
import { type PageSearch, usePageSearch } from '../../app/search.ts';
import { ACCESS_ROLES } from '../../parts/access-type.tsx';
import { Act } from '../../parts/act.tsx';
import { CopyCurl } from '../../parts/calls.tsx';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { Note } from '../../parts/text.tsx';
import { isAt, nameOf, type Place, type Question } from './places.ts';

type Change = Pick<InputOf<'console.access.whatIf'>['change'], 'act' | 'resource'>;

/** A change of one role, as the address tells it. */
function changeOf(
  { if: act, on, role, until }: PageSearch,
  organizationId: string,
): Change | undefined {
  const [, type, id] = /^(organization|folder|document):(.+)$/s.exec(on ?? '') ?? [];
  if ((act !== 'add' && act !== 'remove') || !type || !id) return undefined;
  const seconds = until ? Math.floor(new Date(until).getTime() / 1000) : Number.NaN;
  const resource = {
    ...{ type: type as Place['type'], id, organizationId },
    ...(act === 'add' && {
      accessRole: role === 'editor' ? ('editor' as const) : ('viewer' as const),
    }),
    ...(act === 'add' && !Number.isNaN(seconds) && { expiresAt: seconds }),
  };
  return { act, resource };
}

/** The decision after the change in the address. */
export function useWhatIf(question: Question) {
  const [search] = usePageSearch();
  const change = changeOf(search, question.organizationId);
  const { userId } = question;
  const input = change && { ask: question, change: { userId, ...change } };
  return { query: useRead('console.access.whatIf', input), isAsked: change !== undefined };
}

const OF_ROLE: Filter[] = [
  { name: 'role', label: 'Role', options: ACCESS_ROLES, initial: 'viewer', required: true },
  { name: 'until', label: 'Expires (optional)', kind: 'datetime-local' },
];

interface WhatIfProps {
  question: Question;
  places: readonly Place[];
}

const NONE: PageSearch = { if: undefined, on: undefined, role: undefined, until: undefined };

/** Chooses a change of a role, shows it as a call, and makes it by the public operation. */
export function WhatIf({ question: { organizationId, userId }, places }: WhatIfProps) {
  const { call } = useKey();
  const [search, set] = usePageSearch();
  const change = changeOf(search, organizationId);
  const nearest = places.at(-1);
  const isRemoval = change?.act === 'remove';
  const input = change && { user: { userId }, permissions: { resources: [change.resource] } };
  const on: Filter = {
    name: 'on',
    label: 'On',
    options: places.toReversed().map((each) => {
      return { value: `${each.type}:${each.id}`, label: nameOf(each) };
    }),
    initial: search.on,
    required: true,
  };
  const place = places.find((each) => isAt(each, change?.resource));
  return (
    <Stack gap="sm">
      <Note>Preview a change: nothing is stored until you apply it.</Note>
      <SegmentedControl
        fullWidth
        aria-label="What would happen"
        data={[
          { value: '', label: 'No change' },
          { value: 'add', label: 'Add role' },
          { value: 'remove', label: 'Remove role' },
        ]}
        value={change?.act ?? ''}
        onChange={(act) =>
          set({ if: act, on: search.on ?? (nearest && `${nearest.type}:${nearest.id}`) })
        }
      />
      {change && input && (
        <>
          <Filters filters={[on, ...(isRemoval ? [] : OF_ROLE)]} />
          <Group gap="xs">
            <Act
              size="sm"
              variant="filled"
              run={() => call(`permissions.${change.act}`, input)}
              said={isRemoval ? 'Role removed.' : 'Role added.'}
              onDone={() => set(NONE)}
              ask={
                isRemoval
                  ? {
                      title: `Remove the role of ${userId}?`,
                      what: `${userId} loses the role on ${place ? nameOf(place) : change.resource.id}. Open editors are closed unless another role gives access.`,
                      act: 'Remove role',
                    }
                  : undefined
              }
            >
              Apply
            </Act>
            <CopyCurl name={`permissions.${change.act}`} input={input} />
          </Group>
        </>
      )}
    </Stack>
  );
}
