import type { ReactNode } from 'react';
import type { ActivityConfig, ApiKeyConfig, NotificationConfig } from '../../../../api/contract.ts';
import { openApi } from '../../api/api-description.ts';
import { queryClient } from '../../api/query-client.ts';
import { inWords } from '../../parts/basics.tsx';
import type { Field } from '../../parts/fields.tsx';
import { FormButton } from '../../parts/form.tsx';
import type { SettingsFormProps } from '../../parts/settings-form.tsx';

// The settings of an API key, described by the fields of the operations that read and change them.

/** Returns a switch for each field. @param texts the label and description of each field, by its name */
const switchFields = (texts: Record<string, [label: string, description?: string]>): Field[] =>
  Object.entries(texts).map(([name, [label, description]]): Field => {
    return { name, label, description, kind: 'switch' };
  });

const DEFAULT_FIELDS: Field[] = [
  ...switchFields({
    enablePrivateComments: [
      'Private comments',
      'Allow comments that only selected people, or only members of the organization, can see.',
    ],
    requireAutoOrgUser: [
      'Users join their organization',
      'Add users to the organization when they connect, write or are notified there.',
    ],
    advancedQueries: [
      'Advanced queries',
      'Allow reading documents and notifications, and adding and changing folders.',
    ],
    allowUserRewrites: [
      'Users can use AI models',
      "User tokens can call rewriter.stream, which uses the workspace's model provider keys.",
    ],
    requireAttachmentApproval: [
      'Uploads need approval',
      'Users can download uploads once your server has called attachments.complete, for example after a scan.',
    ],
  }),
  {
    name: 'defaultDocumentAccessType',
    label: 'Default access to new documents',
    description: 'For documents outside folders that are added without an access type.',
    required: true,
    options: {
      public: 'Public',
      organizationPrivate: 'Members of the organization',
      restricted: 'Only people with a role',
    },
  },
  {
    name: 'commentAccess',
    label: 'Who can comment',
    description:
      'If viewers can comment, they can also react and suggest, but never edit. A document can override this.',
    required: true,
    options: { editors: 'Editors', viewers: 'Editors and viewers' },
  },
  {
    name: 'defaultAccessRole',
    label: 'Default role',
    description: 'For users who are added without a role.',
    required: true,
    options: { viewer: 'Viewer', editor: 'Editor' },
  },
];

const PROVIDER_NAMES: Record<ApiKeyConfig['aiModelApiKey'][number]['provider'], string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** A number that has an effect only while the switch `isEnabled` of its group is on. */
const numberField = (group: string, name: string, label: string): Field => {
  return { name: `${group}.${name}`, label, kind: 'number', needs: `${group}.isEnabled` };
};

const SENDING_FIELDS = switchFields({
  useNotificationService: ['Send notifications', 'To inboxes, and by email if that is turned on.'],
});
const TIMING_FIELDS: Field[] = [
  ...switchFields({
    'delay.isEnabled': [
      'Delay notifications',
      'Notifications that were read or deleted in the meantime are not sent.',
    ],
  }),
  numberField('delay', 'delaySeconds', 'Delay (seconds)'),
  ...switchFields({ 'batching.isEnabled': ['Combine notifications'] }),
  numberField('batching', 'windowSeconds', 'Collect for (seconds)'),
  numberField('batching', 'maxNotifications', 'Combine at most'),
];

type Triggers = Record<string, Record<string, boolean>>;

/** Labels for the triggers whose names do not explain themselves. */
const TRIGGER_LABELS: Record<string, string> = { newlyAdded: 'New thread', added: 'Reply' };

/** Returns a switch for each trigger, whether set or not. @param parent the field that holds the triggers */
async function triggersOf(parent: string, stored: Triggers = {}): Promise<Field[]> {
  const { schemas } = await queryClient.ensureQueryData(openApi);
  const triggerSchemas = schemas.NotificationConfig?.properties?.triggers?.properties ?? {};
  return [...new Set([...Object.keys(triggerSchemas), ...Object.keys(stored)])].flatMap(
    (feature) => {
      const names = Object.keys({ ...triggerSchemas[feature]?.properties, ...stored[feature] });
      return names.map((name): Field => {
        const group = `${inWords(feature)} triggers`;
        const path = [...parent.split('.'), feature, name];
        const label = TRIGGER_LABELS[name] ?? inWords(name);
        return { name: path.join('.'), path, label, kind: 'switch', group };
      });
    },
  );
}

const EMAIL_FIELDS: Field[] = [
  ...switchFields({
    useEmailService: [
      'Send emails',
      'About comments, to people who are involved and have not opted out.',
    ],
  }),
  {
    name: 'emailServiceConfig.type',
    label: 'Sent through',
    required: true,
    options: {
      default: 'Email settings of the server',
      external: 'Your provider, with your key and templates',
    },
  },
  { name: 'emailServiceConfig.fromEmail', label: 'Sender address' },
  { name: 'emailServiceConfig.fromCompany', label: 'Sender name' },
  { name: 'emailServiceConfig.commentTemplateId', label: 'Template ID for comments' },
  { name: 'emailServiceConfig.tagTemplateId', label: 'Template ID for mentions' },
  { name: 'emailServiceConfig.apiKey', label: 'New provider key', kind: 'secret' },
];

const ACTIVITY_FIELD = 'activityServiceConfig';
const LOG_FIELDS = switchFields({
  [`${ACTIVITY_FIELD}.isEnabled`]: [
    'Record activities',
    'When this is turned on for the first time, all triggers are turned on, and the log becomes tamper-evident.',
  ],
  [`${ACTIVITY_FIELD}.immutable`]: [
    'Tamper-evident',
    'Chain records by hashes, so that changes and gaps can be detected.',
  ],
});

const ALERT_FIELDS: Field[] = [
  ...switchFields({ enabled: ['Raise alerts'] }),
  {
    name: 'enabledAlertTypes',
    label: 'Alert types',
    kind: 'list',
    needs: 'enabled',
    options: {
      'approval-rate-drift': 'Approval rate is drifting',
      'reviewer-divergence': 'A reviewer decides differently from others',
      'conflicting-decisions': 'Conflicting decisions about similar items',
      'unusual-volume': 'Unusual number of decisions',
      'abandoned-precedent': 'A precedent is no longer followed',
    },
  },
  {
    name: 'severityThreshold',
    label: 'Minimum severity',
    description: 'Less severe findings do not raise alerts.',
    required: true,
    options: ['low', 'medium', 'high'],
  },
  {
    name: 'maxAlertsPerWeek',
    label: 'Maximum alerts per week',
    description: 'The most severe come first. Others follow later if they persist.',
    kind: 'number',
  },
];

const SEND_TEST_EMAIL = (
  <FormButton
    label="Send test email"
    submitLabel="Send"
    fields={{ name: 'to', label: 'To', placeholder: 'you@example.com', required: true }}
    submit={(call, values: { to: string }) => call('console.emails.sendTest', values)}
    notice={({ to }) => `A test email was sent to ${to}.`}
  />
);

interface Service extends SettingsFormProps {
  title: string;
  actions?: ReactNode;
}

/** Settings for documents, users, comments and AI models. The API returns the model keys masked. */
export const BEHAVIOUR_SERVICES: Service[] = [
  { title: 'Defaults', settings: 'apiKeyConfig', fields: DEFAULT_FIELDS },
  {
    title: 'AI models',
    settings: 'apiKeyConfig',
    fields: ({ aiModelApiKey }: ApiKeyConfig) =>
      Object.entries(PROVIDER_NAMES).map(([name, provider]): Field => {
        const stored = aiModelApiKey.find((each) => each.provider === name)?.customerApiKey;
        const description = stored
          ? `Stored: ${stored}.`
          : 'Not set. A key that you set is shared by all API keys of the workspace.';
        return { name, label: `${provider} key`, kind: 'secret', description };
      }),
    read: ({ aiModelApiKey }: ApiKeyConfig) =>
      Object.fromEntries(aiModelApiKey.map((each) => [each.provider, each.customerApiKey])),
    write: (changes) => ({
      aiModelApiKey: Object.entries(changes).map(([provider, customerApiKey]) => {
        return { provider, customerApiKey };
      }),
    }),
  },
];

/** Settings for notifications, emails, activity logs and alerts. */
export const NOTIFICATION_SERVICES: Service[] = [
  {
    title: 'Notifications',
    settings: 'notificationConfig',
    fields: async ({ triggers }: NotificationConfig) => [
      ...SENDING_FIELDS,
      ...(await triggersOf('triggers', triggers)),
      ...TIMING_FIELDS,
    ],
  },
  { title: 'Email', settings: 'emailConfig', fields: EMAIL_FIELDS, actions: SEND_TEST_EMAIL },
  {
    title: 'Activity log',
    settings: 'activityConfig',
    fields: async ({ activityServiceConfig: { triggers } }: ActivityConfig) => [
      ...LOG_FIELDS,
      ...(await triggersOf(`${ACTIVITY_FIELD}.triggers`, triggers)),
    ],
  },
  { title: 'Memory alerts', settings: 'memory.alerts.config', fields: ALERT_FIELDS },
];
