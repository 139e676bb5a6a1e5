import { Code } from './code.tsx';

/** A value as indented JSON. */
export const Json = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <Code text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
);
