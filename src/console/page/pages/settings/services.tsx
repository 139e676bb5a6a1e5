import type { ReactNode } from 'react';
import type { ActivityConfig, ApiKeyConfig, NotificationConfig } from '../../../../api/contract.ts';
import { openApi } from '../../api/documents.ts';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import type { Field } from '../../parts/fields.tsx';
import { FormButton } from '../../parts/form.tsx';
import type { SettingsFormProps } from '../../parts/settings-form.tsx';

/** The settings of an API key, described by the fields of the operations that read and change them. */

const DEFAULTS: Field[] = [
  {
    name: 'enablePrivateComments',
    label: 'Private comments',
    about: 'Allow comments that only their author can see.',
    kind: 'switch',
  },
  {
    name: 'requireAutoOrgUser',
    label: 'Users join their organization',
    about: 'Add users to their organization automatically when they connect.',
    kind: 'switch',
  },
  {
    name: 'advancedQueries',
    label: 'Advanced queries',
    about: 'Allow counting and more filters for comment threads.',
    kind: 'switch',
  },
  {
    name: 'allowUserRewrites',
    label: 'Users can use AI models',
    about: "User tokens can call rewriter.stream, which uses the workspace's model provider keys.",
    kind: 'switch',
  },
  {
    name: 'requireAttachmentApproval',
    label: 'Uploads need approval',
    about:
      'Users can download what users uploaded once your server has called attachments.complete for it, e.g. after a scan.',
    kind: 'switch',
  },
  {
    name: 'defaultDocumentAccessType',
    label: 'Default access to new documents',
    about: 'For documents outside folders that are added without an access type.',
    required: true,
    options: [
      { value: 'public', label: 'Public' },
      { value: 'organizationPrivate', label: 'Members of the organization' },
      { value: 'restricted', label: 'Only people with a role' },
    ],
  },
  {
    name: 'commentAccess',
    label: 'Who can comment',
    about: 'Viewers can comment, react and suggest, but never edit. Documents can differ.',
    required: true,
    options: [
      { value: 'editors', label: 'Editors' },
      { value: 'viewers', label: 'Editors and viewers' },
    ],
  },
  {
    name: 'defaultAccessRole',
    label: 'Default role',
    about: 'For users who are added without a role.',
    required: true,
    options: [
      { value: 'viewer', label: 'Viewer' },
      { value: 'editor', label: 'Editor' },
    ],
  },
];

const PROVIDERS: Record<ApiKeyConfig['aiModelApiKey'][number]['provider'], string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

const SENDS: Field = {
  name: 'useNotificationService',
  label: 'Send notifications',
  about: 'To inboxes, and by email if that is turned on.',
  kind: 'switch',
};
const TIMES: Field[] = [
  {
    name: 'delay.isEnabled',
    label: 'Delay notifications',
    about: 'Notifications that were read or deleted in the meantime are not sent.',
    kind: 'switch',
  },
  {
    name: 'delay.delaySeconds',
    label: 'Delay (seconds)',
    kind: 'number',
    needs: 'delay.isEnabled',
  },
  { name: 'batching.isEnabled', label: 'Combine notifications', kind: 'switch' },
  {
    name: 'batching.windowSeconds',
    label: 'Collect for (seconds)',
    kind: 'number',
    needs: 'batching.isEnabled',
  },
  {
    name: 'batching.maxNotifications',
    label: 'Maximum per notification',
    kind: 'number',
    needs: 'batching.isEnabled',
  },
];

type Triggers = Record<string, Record<string, boolean>>;

/** A switch for each trigger, those that nobody has set yet included. */
async function triggersOf(place: string, stored: Triggers = {}): Promise<Field[]> {
  const { schemas } = await queries.ensureQueryData(openApi);
  const known = schemas.NotificationConfig?.properties?.triggers?.properties ?? {};
  return [...new Set([...Object.keys(known), ...Object.keys(stored)])].flatMap((feature) => {
    const names = Object.keys({ ...known[feature]?.properties, ...stored[feature] });
    return names.map((name): Field => {
      const group = `${inWords(feature)} triggers`;
      const path = [...place.split('.'), feature, name];
      return { name: path.join('.'), path, label: inWords(name), kind: 'switch', group };
    });
  });
}

/** `statusChanged` as `Status changed`. */
export function inWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const EMAIL: Field[] = [
  {
    name: 'useEmailService',
    label: 'Send emails',
    about: 'About comments, to people who are involved and have not opted out.',
    kind: 'switch',
  },
  {
    name: 'emailServiceConfig.type',
    label: 'Sent through',
    required: true,
    options: [
      { value: 'default', label: 'Mail settings of the server' },
      { value: 'external', label: 'Your provider, with your key and templates' },
    ],
  },
  { name: 'emailServiceConfig.fromEmail', label: 'Sender address' },
  { name: 'emailServiceConfig.fromCompany', label: 'Sender name' },
  { name: 'emailServiceConfig.commentTemplateId', label: 'Template ID for comments' },
  { name: 'emailServiceConfig.tagTemplateId', label: 'Template ID for mentions' },
  { name: 'emailServiceConfig.apiKey', label: 'New provider key', kind: 'secret' },
];

const ACTIVITY = 'activityServiceConfig';
const LOG: Field[] = [
  {
    name: `${ACTIVITY}.isEnabled`,
    label: 'Record activities',
    about:
      'When you turn it on for the first time, all triggers are on and the log is tamper-evident.',
    kind: 'switch',
  },
  {
    name: `${ACTIVITY}.immutable`,
    label: 'Tamper-evident',
    about: 'Chain records by hashes, so that changes and gaps can be detected.',
    kind: 'switch',
  },
];

const ALERTS: Field[] = [
  { name: 'enabled', label: 'Raise alerts', kind: 'switch' },
  {
    name: 'enabledAlertTypes',
    label: 'Alert types',
    kind: 'list',
    needs: 'enabled',
    options: [
      { value: 'approval-rate-drift', label: 'Approval rate is drifting' },
      { value: 'reviewer-divergence', label: 'A reviewer decides differently from others' },
      { value: 'conflicting-decisions', label: 'Conflicting decisions about similar items' },
      { value: 'unusual-volume', label: 'Unusual number of decisions' },
      { value: 'abandoned-precedent', label: 'A precedent is no longer followed' },
    ],
  },
  {
    name: 'severityThreshold',
    label: 'Minimum severity',
    about: 'Less severe findings do not raise alerts.',
    required: true,
    options: ['low', 'medium', 'high'],
  },
  {
    name: 'maxAlertsPerWeek',
    label: 'Maximum alerts per week',
    about: 'The most severe come first. Others follow later if they persist.',
    kind: 'number',
  },
];

function SendTestEmail() {
  const { call } = useKey();
  return (
    <FormButton
      act="Send"
      fields={[{ name: 'to', label: 'To', placeholder: 'you@example.com', required: true }]}
      submit={(values: { to: string }) => call('console.emails.sendTest', values)}
      said={({ to }) => `A test email was sent to ${to}.`}
    >
      Send test email
    </FormButton>
  );
}

interface Service extends SettingsFormProps {
  title: string;
  actions?: ReactNode;
}

/** The treatment of documents, users and comments. The API shows the keys of models masked. */
export const BEHAVIOUR: Service[] = [
  { title: 'Defaults', of: 'apiKeyConfig', fields: DEFAULTS },
  {
    title: 'AI models',
    of: 'apiKeyConfig',
    fields: ({ aiModelApiKey }: ApiKeyConfig) =>
      Object.entries(PROVIDERS).map(([name, provider]): Field => {
        const stored = aiModelApiKey.find((each) => each.provider === name)?.customerApiKey;
        const about = stored
          ? `Stored: ${stored}.`
          : 'Not set. Shared by all keys of the workspace.';
        return { name, label: `${provider} key`, kind: 'secret', about };
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

/** The messages and records that follow from what happens. */
export const NOTIFICATIONS: Service[] = [
  {
    title: 'Notifications',
    of: 'notificationConfig',
    fields: async ({ triggers }: NotificationConfig) => [
      SENDS,
      ...(await triggersOf('triggers', triggers)),
      ...TIMES,
    ],
  },
  { title: 'Email', of: 'emailConfig', fields: EMAIL, actions: <SendTestEmail /> },
  {
    title: 'Activity log',
    of: 'activityConfig',
    fields: async ({ activityServiceConfig: { triggers } }: ActivityConfig) => [
      ...LOG,
      ...(await triggersOf(`${ACTIVITY}.triggers`, triggers)),
    ],
  },
  { title: 'Memory alerts', of: 'memory.alerts.config', fields: ALERTS },
];
