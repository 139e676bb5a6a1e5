/** The NOTIFY channel on which a trigger publishes the key whose service settings changed. */
export const SETTINGS_CHANNEL = 'settings_changed';

/** Returns the row with settings of an API key, which every key has from its creation. */
export function requireSettingsRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('The row with the settings of an API key is missing.');
  return row;
}
