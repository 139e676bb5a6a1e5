import type { AnyRouter } from '@trpc/server';
import { AppError } from '../platform/errors.ts';
import { nearestName } from './nearest-name.ts';
import type { OperationMeta } from './operation-meta.ts';
import { definitionOf, proceduresOf } from './trpc-internals.ts';

/**
 * Returns the failure for names that no procedure has. It suggests the procedure that was probably
 * meant, and does not repeat the given name, which may contain a secret.
 */
export function procedureNotFound(router: AnyRouter, names: string[]): AppError {
  // Callers may also have meant the REST path of a procedure.
  const known = new Map<string, string>();
  for (const [name, procedure] of proceduresOf(router)) {
    const { path } = (definitionOf(procedure).meta ?? {}) as Partial<OperationMeta>;
    known.set(name, name);
    if (path) known.set(path, name);
  }
  const unknown = names.find((name) => !known.has(name)) ?? '';
  const meant = known.get(nearestName(unknown, known.keys()) ?? '');
  const hint = meant
    ? `Did you mean ${meant}?`
    : 'Names are dotted, such as users.add; they are listed in /openapi.json as operationId.';
  return new AppError('NOT_FOUND', `There is no such operation. ${hint}`);
}
