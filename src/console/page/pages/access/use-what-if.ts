import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import type { PageSearch } from '../../app/page-search.ts';
import { usePageSearch } from '../../app/use-search.ts';
import type { Place, Question } from './question.ts';

/** A change of one role, as the address tells it. */
export interface Change {
  act: 'add' | 'remove';
  place: Pick<Place, 'type' | 'id'>;
  role: 'viewer' | 'editor';
  /** Local date and time; none: no end. */
  until: string | undefined;
}

export function changeOf({ if: act, on, role, until }: PageSearch): Change | undefined {
  const [, type, id] = /^(organization|folder|document):(.+)$/s.exec(on ?? '') ?? [];
  if ((act !== 'add' && act !== 'remove') || !type || !id) return undefined;
  const place = { type: type as Place['type'], id };
  return { act, place, role: role === 'editor' ? 'editor' : 'viewer', until };
}

/** The resource of `permissions.add` and `permissions.remove`. */
export function resourceOf({ act, place, role, until }: Change, organizationId: string) {
  const seconds = until ? Math.floor(new Date(until).getTime() / 1000) : Number.NaN;
  return {
    ...place,
    organizationId,
    ...(act === 'add' && { accessRole: role }),
    ...(act === 'add' && !Number.isNaN(seconds) && { expiresAt: seconds }),
  };
}

/** The decision after the change: the server makes it, explains, and undoes it. */
export function useWhatIf(question: Question) {
  const { apiKey, own } = useKey();
  const [search] = usePageSearch();
  const change = changeOf(search);
  return useQuery({
    queryKey: ['access', apiKey, 'what-if', question, change],
    enabled: change !== undefined,
    queryFn: ({ signal }) => {
      const { act, ...rest } = change as Change;
      const resource = resourceOf({ act, ...rest }, question.organizationId);
      return own.access.whatIf.query(
        { ask: question, change: { act, userId: question.userId, resource } },
        { signal },
      );
    },
  });
}
