import type { AnyRouter } from '@trpc/server';
import { AppError } from '../platform/errors.ts';
import type { OperationMeta } from './operation-meta.ts';
import { definitionOf, proceduresOf } from './trpc-internals.ts';

/**
 * The failure for names that no procedure has. It suggests the procedure that was probably meant,
 * and does not repeat the given name, which may contain a secret.
 */
export function noProcedure(router: AnyRouter, names: string[]): AppError {
  const wanted = names.map(loosely);
  const meant = proceduresOf(router).find(([name, procedure]) => {
    const { path } = (definitionOf(procedure).meta ?? {}) as Partial<OperationMeta>;
    return [name, path ?? name].some((known) => wanted.includes(loosely(known)));
  });
  const hint = meant
    ? `Did you mean ${meant[0]}?`
    : 'Names are dotted, such as users.add, and stand in /openapi.json as operationId.';
  return new AppError('NOT_FOUND', `There is no such operation. ${hint}`);
}

/** A name in lower case, without separators and without the version of a REST path. */
const loosely = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\/?v\d+\//, '')
    .replace(/[^a-z0-9]/g, '');
