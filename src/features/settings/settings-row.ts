/** The NOTIFY channel on which a trigger publishes the key whose service settings changed. */
export const SETTINGS_CHANNEL = 'settings_changed';

/** Every API key has a row of service settings from its creation. */
export function settingsRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('An API key has no row of service settings.');
  return row;
}
