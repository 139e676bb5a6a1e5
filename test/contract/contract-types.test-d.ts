import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ContractRouter } from '../../src/api/contract-router.ts';
import type { Annotation, CollaborationClient } from '../../src/client/index.ts';
import type { AppRouter } from '../../src/features/index.ts';

/**
 * Compiles only while the generated contract has the types of the router. Assignable both ways is
 * not enough for inputs and outputs, since an optional field could be missing from one of them.
 */

type Assignable<One, Other> = [One, Other] extends [Other, One] ? true : false;
type Equal<One, Other> =
  (<Any>() => Any extends One ? 1 : 2) extends <Any>() => Any extends Other ? 1 : 2 ? true : false;

const holds = <_Fact extends true>(): void => undefined;

holds<Equal<inferRouterInputs<AppRouter>, inferRouterInputs<ContractRouter>>>();
holds<Equal<inferRouterOutputs<AppRouter>, inferRouterOutputs<ContractRouter>>>();
holds<Assignable<inferRouterError<AppRouter>, inferRouterError<ContractRouter>>>();
holds<Assignable<AppRouter, ContractRouter>>();

/** The list of annotations is an array by its type, unless the caller groups it. */
type Get = CollaborationClient['commentAnnotations']['get'];
export const listOf = (get: Get): Promise<Array<Annotation | null>> =>
  get({ organizationId: 'acme' }).then(({ data }) => data);
export const groupsOf = (get: Get): Promise<Record<string, Annotation[]>> =>
  get({ organizationId: 'acme', groupByDocumentId: true }).then(({ data }) => data);
/** Each annotation has an author and a status. */
export const authorOf = ({ from, status }: Annotation): [string | undefined, string] => [
  from.name,
  status.type,
];
