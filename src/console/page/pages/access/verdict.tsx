import { Alert, Text } from '@mantine/core';
import type { Explanation } from '../../../../client/index.ts';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { isAt, nameOf, type Place } from './places.ts';

interface VerdictProps {
  explanation: Explanation;
  places: readonly Place[];
  /** Whether it is about the state after a change. */
  isThen?: boolean;
}

/** The decision in a sentence, and why. */
export function Verdict({ explanation, places, isThen = false }: VerdictProps) {
  const { userId, decision } = explanation;
  const asked = places.at(-1);
  const isAllowed = decision.accessRole !== undefined;
  const may = isThen ? { yes: 'could', no: 'could not' } : { yes: 'may', no: 'may not' };
  const act = decision.accessRole === 'editor' ? 'read and write' : 'read, but not write to,';
  const what = asked ? nameOf(asked) : 'it';
  return (
    <Alert
      color={isAllowed ? 'teal' : 'red'}
      icon={<Icon name={isAllowed ? 'check' : 'lock'} />}
      title={
        isAllowed ? `${userId} ${may.yes} ${act} ${what}.` : `${userId} ${may.no} open ${what}.`
      }
    >
      <Text size="sm">{reasonOf(explanation, places)}</Text>
      {decision.expiresAt !== undefined && (
        <Text size="sm">
          The role expires <Time at={decision.expiresAt * 1000} />.
        </Text>
      )}
    </Alert>
  );
}

function reasonOf({ steps }: Explanation, places: readonly Place[]): string {
  const deciding = steps.find((step) => step.outcome === 'decides');
  if (!deciding) return steps.at(-1)?.message ?? '';
  const place = places.find((each) => isAt(each, deciding.resource));
  const where = place ? nameOf(place) : `the ${deciding.resource?.type} ${deciding.resource?.id}`;
  return `The role ${deciding.accessRole} on ${where} is the nearest valid one.`;
}
