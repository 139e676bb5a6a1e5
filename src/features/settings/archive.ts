import type { ArchivedTable } from '../../platform/archives/archived-table.ts';

/**
 * In an imported copy, webhooks and emails are off until somebody switches them on, so that nobody receives
 * an event twice. The archive does not contain their secrets.
 */
export const archivedSettings: ArchivedTable = {
  name: 'service_settings',
  onlyInKeyArchives: true,
  omitted: [
    'use_email_service',
    'sealed_email_api_key',
    'use_webhook_service',
    'webhook_service_config',
    'sealed_webhook_auth_token',
    'use_advanced_webhooks',
  ],
  existing: 'replaced',
};
