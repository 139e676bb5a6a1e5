import { Alert, Badge, Group, Text } from '@mantine/core';
import type { Explanation, ExplanationStep } from '../../../../client/index.ts';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { AccessTypeBadge } from '../../parts/access-type.tsx';
import { Note, Time } from '../../parts/basics.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';

export type Question = InputOf<'permissions.explain'>;

/** An organization, a folder or a document. */
export type NamedResource = OutputOf<'console.directory.resourcePath'>['path'][number];

type ResourceRef = Pick<NamedResource, 'type' | 'id'>;

export const isSame = (one: ResourceRef, other: ResourceRef | undefined): boolean =>
  one.type === other?.type && one.id === other.id;

/** A resource as it is named in a sentence. */
export const resourceName = ({ type, name }: NamedResource): string => `the ${type} ${name}`;

interface StepsProps {
  explanation: Explanation;
  /** From the organization down to the resource that the question is about. */
  path: readonly NamedResource[];
}

const ICONS: Record<NamedResource['type'], IconName> = {
  organization: 'person',
  folder: 'folder',
  document: 'file',
};

/** From the fifth level on, resources are not indented further, so that they fit on phones. */
const indentOf = (depth: number): string => `${0.75 * Math.min(depth, 4)}rem`;

/** The path to the resource, with the role that was found on each part of it. */
export function Steps({ explanation: { steps }, path }: StepsProps) {
  const grantSteps = steps.filter(({ step }) => step === 'grant');
  const typeStep = steps.find((step) => step.step === 'accessType');
  const accessType = typeStep?.accessType;
  const noGrant = steps.find((step) => step.step === 'noGrant');
  return (
    <ol className="console-list">
      {path.map((resource, depth) => {
        const order = grantSteps.findIndex((step) => isSame(resource, step.resource));
        const isTypeSource = isSame(resource, typeStep?.resource);
        return (
          <li key={`${resource.type} ${resource.id}`} style={{ paddingLeft: indentOf(depth) }}>
            <ResourceCard resource={resource} step={grantSteps[order]} order={order + 1}>
              {isTypeSource && accessType && <AccessTypeBadge type={accessType} />}
            </ResourceCard>
          </li>
        );
      })}
      <li>
        <div className="console-box" data-decides={noGrant !== undefined || undefined}>
          <Group gap="xs">
            <Icon name="lock" size={16} />
            <Text fw={600}>Access</Text>
            {accessType && <AccessTypeBadge type={accessType} />}
            {noGrant && <DecidesBadge />}
          </Group>
          <Text>{typeStep?.message}</Text>
          <Text c={noGrant ? undefined : 'dimmed'}>
            {noGrant?.message ?? 'Not checked: a role decided.'}
          </Text>
        </div>
      </li>
    </ol>
  );
}

interface ResourceCardProps {
  resource: NamedResource;
  /** The step that checked the resource; undefined if none did. */
  step: ExplanationStep | undefined;
  /** The number of the step, from 1; 0 without a step. */
  order: number;
  children: React.ReactNode;
}

function ResourceCard({ resource, step, order, children }: ResourceCardProps) {
  const decides = step?.outcome === 'decides';
  return (
    <div className="console-box" data-decides={decides || undefined}>
      <Group gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Icon name={ICONS[resource.type]} size={16} />
          <Text fw={600} className="console-text">
            {resource.name}
          </Text>
        </Group>
        <Note size="xs">{resource.type}</Note>
        {children}
        {decides && <DecidesBadge />}
      </Group>
      <Text c={step ? undefined : 'dimmed'}>
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

const DecidesBadge = () => (
  <Badge variant="filled" leftSection={<Icon name="check" size={12} />}>
    Decides
  </Badge>
);

function sentenceOf(step: ExplanationStep | undefined): string {
  switch (step?.outcome) {
    case 'decides':
      return `Has the role ${step.accessRole} here.`;
    case 'expired':
      return `Had the role ${step.accessRole} here.`;
    case 'restricted':
      return `The role ${step.accessRole} here does not give access to restricted documents.`;
    case 'absent':
      return 'No role here.';
    default:
      return 'Not checked: a nearer role decided.';
  }
}

interface VerdictProps extends StepsProps {
  /** Whether the explanation is about a change that is only previewed. */
  isPreview?: boolean;
}

/** The decision in a sentence, and why. */
export function Verdict({ explanation, path, isPreview = false }: VerdictProps) {
  const { userId, decision } = explanation;
  const target = path.at(-1);
  const isAllowed = decision.accessRole !== undefined;
  const can = isPreview ? 'would be able to' : 'can';
  const cannot = isPreview ? 'would not be able to' : 'cannot';
  const act = decision.accessRole === 'editor' ? 'read and write' : 'read, but not write to,';
  const verdict = isAllowed ? `${can} ${act}` : `${cannot} open`;
  const what = target ? resourceName(target) : 'this resource';
  return (
    <Alert
      color={isAllowed ? 'teal' : 'red'}
      icon={<Icon name={isAllowed ? 'check' : 'lock'} />}
      title={`${userId} ${verdict} ${what}.`}
    >
      <Text>{reasonOf(explanation, path)}</Text>
      {decision.expiresAt !== undefined && (
        <Text>
          The role expires <Time at={decision.expiresAt * 1000} />.
        </Text>
      )}
    </Alert>
  );
}

function reasonOf({ steps }: Explanation, path: readonly NamedResource[]): string {
  const deciding = steps.find((step) => step.outcome === 'decides');
  if (!deciding) return steps.at(-1)?.message ?? '';
  const resource = path.find((each) => isSame(each, deciding.resource));
  const where = resource
    ? resourceName(resource)
    : `the ${deciding.resource?.type} ${deciding.resource?.id}`;
  return `The role ${deciding.accessRole} on ${where} is the nearest valid one.`;
}
