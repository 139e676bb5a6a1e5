/** The NOTIFY channel on which a database trigger publishes the API key whose service settings changed. */
export const SETTINGS_CHANNEL = 'settings_changed';

/** Returns the row with the settings of an API key. Every key has one from its creation. */
export function requireSettingsRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('The row with the settings of an API key is missing.');
  return row;
}
