import { Alert, Badge, Group, Text } from '@mantine/core';
import type {
  Explanation,
  ExplanationStep,
  PermissionsExplainInput,
} from '../../../../client/index.ts';
import type { OutputOf } from '../../api/client.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { Note, Time } from '../../parts/basics.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';

export type Question = PermissionsExplainInput;

/** A place where a role can be given. */
export type NamedResource = OutputOf<'console.directory.places'>['places'][number];

type ResourceRef = Pick<NamedResource, 'type' | 'id'>;

export const isAt = (place: ResourceRef, other: ResourceRef | undefined): boolean =>
  place.type === other?.type && place.id === other.id;

/** A place as it is named in a sentence. */
export const placeName = ({ type, name }: NamedResource): string => `the ${type} ${name}`;

interface StepsProps {
  explanation: Explanation;
  /** From the organization down to the place asked about. */
  places: readonly NamedResource[];
}

const ICONS: Record<NamedResource['type'], IconName> = {
  organization: 'person',
  folder: 'folder',
  document: 'file',
};

/** From the fifth level on, places are not indented further, so that they fit on phones. */
const indentOf = (depth: number): string => `${0.75 * Math.min(depth, 4)}rem`;

/** The places of the decision as a branch of the tree, each with its finding. */
export function Steps({ explanation: { steps }, places }: StepsProps) {
  const grantSteps = steps.filter(({ step }) => step === 'grant');
  const typeStep = steps.find((step) => step.step === 'accessType');
  const noGrant = steps.find((step) => step.step === 'noGrant');
  return (
    <ol className="console-list">
      {places.map((place, depth) => {
        const order = grantSteps.findIndex(({ resource }) => isAt(place, resource));
        const isTypeSource = isAt(place, typeStep?.resource);
        return (
          <li key={`${place.type} ${place.id}`} style={{ paddingLeft: indentOf(depth) }}>
            <PlaceCard place={place} step={grantSteps[order]} order={order + 1}>
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
  place: NamedResource;
  /** The step that judged the place; undefined if the place was not checked. */
  step: ExplanationStep | undefined;
  /** The number of the step, from 1; 0 without a step. */
  order: number;
  children: React.ReactNode;
}

function PlaceCard({ place, step, order, children }: PlaceCardProps) {
  const decides = step?.outcome === 'decides';
  return (
    <div className="console-box" data-decides={decides || undefined}>
      <Group gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Icon name={ICONS[place.type]} size={16} />
          <Text size="sm" fw={600} className="console-text">
            {place.name}
          </Text>
        </Group>
        <Note size="xs">{place.type}</Note>
        {children}
        {decides && <Decides />}
      </Group>
      <Text size="sm" c={step ? undefined : 'dimmed'}>
        {order > 0 && `${order}. `}
        {sentenceOf(step)}
        {step?.expiresAt !== undefined && (
          <>
            {step.outcome === 'expired' ? ' It expired ' : ' It expires '}
            <Time at={step.expiresAt * 1000} />.
          </>
        )}
      </Text>
      {step?.context && (
        <Note size="xs">
          Access context:{' '}
          {Object.entries(step.context.access)
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

function sentenceOf(step: ExplanationStep | undefined): string {
  switch (step?.outcome) {
    case 'decides':
      return `The role ${step.accessRole} here.`;
    case 'expired':
      return `The role ${step.accessRole} here has expired.`;
    case 'restricted':
      return `The role ${step.accessRole} here does not open restricted documents.`;
    case 'absent':
      return 'No role here.';
    default:
      return 'Not checked: a nearer role decided.';
  }
}

interface VerdictProps extends StepsProps {
  /** Whether the explanation is about the access after a change that is only previewed. */
  isPreview?: boolean;
}

/** The decision in a sentence, and why. */
export function Verdict({ explanation, places, isPreview = false }: VerdictProps) {
  const { userId, decision } = explanation;
  const target = places.at(-1);
  const isAllowed = decision.accessRole !== undefined;
  const may = isPreview ? 'could' : 'may';
  const act = decision.accessRole === 'editor' ? 'read and write' : 'read, but not write to,';
  const verdict = isAllowed ? `${may} ${act}` : `${may} not open`;
  const what = target ? placeName(target) : 'this place';
  return (
    <Alert
      color={isAllowed ? 'teal' : 'red'}
      icon={<Icon name={isAllowed ? 'check' : 'lock'} />}
      title={`${userId} ${verdict} ${what}.`}
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

function reasonOf({ steps }: Explanation, places: readonly NamedResource[]): string {
  const deciding = steps.find((step) => step.outcome === 'decides');
  if (!deciding) return steps.at(-1)?.message ?? '';
  const place = places.find((each) => isAt(each, deciding.resource));
  const where = place
    ? placeName(place)
    : `the ${deciding.resource?.type} ${deciding.resource?.id}`;
  return `The role ${deciding.accessRole} on ${where} is the nearest valid one.`;
}
