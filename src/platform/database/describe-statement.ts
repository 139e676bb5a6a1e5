/** The first action of a statement and its table, as the name of its span: `INSERT event_outbox`. */
export function describeStatement(text: string): string {
  const plain = text.replaceAll(/\/\*.*?\*\/|--.*$/gms, ' ');
  const [, verb = ''] = /\b(SELECT|INSERT|UPDATE|DELETE|VACUUM|LOCK)\b/i.exec(plain) ?? [];
  const changed = /\b(INSERT INTO|DELETE FROM|UPDATE)\s+"?(\w+)/i.exec(plain);
  const [, , table] = changed ?? /\b(FROM|JOIN)\s+"?(\w+)/i.exec(plain) ?? [];
  const [word] = changed?.[1]?.split(' ') ?? [verb];
  return [word, table].filter(Boolean).join(' ') || 'statement';
}
