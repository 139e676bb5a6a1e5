import { Badge, Group, Text } from '@mantine/core';
import type { Explanation, ExplanationStep } from '../../../../client/index.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Note } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { isAt, type Place } from './places.ts';

interface StepsProps {
  explanation: Explanation;
  /** From the organization down to what is asked. */
  places: readonly Place[];
}

const ICONS: Record<Place['type'], IconName> = {
  organization: 'person',
  folder: 'folder',
  document: 'file',
};

/** Deep places are not moved further, so that phones can show them. */
const indentOf = (depth: number): string => `${0.75 * Math.min(depth, 4)}rem`;

/** The places of the decision as a branch of the tree, each with what was found there. */
export function Steps({ explanation: { steps }, places }: StepsProps) {
  const looks = steps.filter((step) => step.step === 'grant');
  const typeStep = steps.find((step) => step.step === 'accessType');
  const noGrant = steps.find((step) => step.step === 'noGrant');
  return (
    <ol className="console-list">
      {places.map((place, depth) => {
        const order = looks.findIndex((look) => isAt(place, look.resource));
        const isTypeSource = isAt(place, typeStep?.resource);
        return (
          <li key={`${place.type} ${place.id}`} style={{ paddingLeft: indentOf(depth) }}>
            <PlaceCard place={place} look={looks[order]} order={order + 1}>
              {isTypeSource && typeStep?.accessType && (
                <AccessTypeBadge type={typeStep.accessType} />
              )}
            </PlaceCard>
          </li>
        );
      })}
      <li>
        <div className="console-box" data-decides={noGrant !== undefined || undefined}>
          <Group gap="xs">
            <Icon name="lock" size={16} />
            <Text size="sm" fw={600}>
              Access
            </Text>
            {typeStep?.accessType && <AccessTypeBadge type={typeStep.accessType} />}
            {noGrant && <Decides />}
          </Group>
          <Text size="sm">{typeStep?.message}</Text>
          <Text size="sm" c={noGrant ? undefined : 'dimmed'}>
            {noGrant?.message ?? 'Not checked: a role decided.'}
          </Text>
        </div>
      </li>
    </ol>
  );
}

interface PlaceCardProps {
  place: Place;
  look: ExplanationStep | undefined;
  /** The number of the look, from 1; 0 if nothing was looked up. */
  order: number;
  children: React.ReactNode;
}

function PlaceCard({ place, look, order, children }: PlaceCardProps) {
  const decides = look?.outcome === 'decides';
  return (
    <div className="console-box" data-decides={decides || undefined}>
      <Group gap="xs">
        <Icon name={ICONS[place.type]} size={16} />
        <Text size="sm" fw={600}>
          {place.name}
        </Text>
        <Note size="xs">{place.type}</Note>
        {children}
        {decides && <Decides />}
      </Group>
      <Text size="sm" c={look ? undefined : 'dimmed'}>
        {order > 0 && `${order}. `}
        {sentenceOf(look)}
        {look?.expiresAt !== undefined && (
          <>
            {look.outcome === 'expired' ? ' It expired ' : ' It expires '}
            <Time at={look.expiresAt * 1000} />.
          </>
        )}
      </Text>
      {look?.context && (
        <Note size="xs">
          Access context:{' '}
          {Object.entries(look.context.access)
            .map(([field, values]) => `${field}: ${values.join(', ')}`)
            .join('; ')}
        </Note>
      )}
    </div>
  );
}

const Decides = () => (
  <Badge variant="filled" leftSection={<Icon name="check" size={12} />}>
    Decides
  </Badge>
);

function sentenceOf(look: ExplanationStep | undefined): string {
  switch (look?.outcome) {
    case 'decides':
      return `The role ${look.accessRole} here.`;
    case 'expired':
      return `The role ${look.accessRole} here has expired.`;
    case 'restricted':
      return `The role ${look.accessRole} here does not open restricted documents.`;
    case 'absent':
      return 'No role here.';
    default:
      return 'Not checked: a nearer role decided.';
  }
}
