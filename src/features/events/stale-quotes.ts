import { type Sql, sql } from '../../platform/database/database.ts';

/** SQL: whether the event of row `t` quotes text that its notification or alert no longer has. */
export const isStaleQuote = (type: Sql, data: Sql): Sql => sql`(
  ${type} = 'notification.add' AND ${data}->>'notificationSource' = 'comment'
    AND ${data}->>'displayBodyMessage' <> ''
    AND NOT EXISTS (
      SELECT 1 FROM notifications n
      WHERE n.tenant_id = t.tenant_id AND n.organization_id = t.organization_id
        AND n.notification_id = ${data}->>'id'
        AND n.content->>'body' = ${data}->>'displayBodyMessage')
  OR ${type} = 'memory.alert' AND ${data}->>'description' <> ''
    AND NOT EXISTS (
      SELECT 1 FROM memory_alerts a WHERE a.tenant_id = t.tenant_id AND a.alert_id = ${data}->>'id'))`;

export const withoutQuote = (data: object): object => ({
  ...data,
  ...('displayBodyMessage' in data && { displayBodyMessage: '' }),
  ...('description' in data && { description: '' }),
});
