/** Every API key has a row of service settings from its creation. */
export function settingsRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('An API key has no row of service settings.');
  return row;
}
