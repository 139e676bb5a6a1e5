import type { Clock } from '../../platform/clock.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { deleteExpiredRows } from '../../platform/database/delete-expired-rows.ts';

/** Identifies a call with an Idempotency-Key: an equal call has the same values. */
export interface KeyedCall {
  /** The API key or workspace, and the user if the call has a user token. */
  caller: string;
  path: string;
  key: string;
}

/** The right to run a call and to store its response. Equal calls wait meanwhile. */
export interface Reservation extends KeyedCall {
  /** The id of the attempt that runs the call, new each time the reservation is taken. */
  owner: string;
}

/** The row of a call that is running or has a response. */
interface StoredCall {
  requestHash: Buffer;
  sealedResponse: string | null;
  isExpired: boolean;
  /** Whether the owner has renewed its lease recently. */
  isRunning: boolean;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;
/** How long a reservation lasts without renewal. Its owner renews it every second. */
const LEASE = sql`now() + interval '3 seconds'`;

/** Another process took the reservation, because this process was suspended. */
export class LostReservation extends Error {}

/** SQL: the condition for the row of a call. */
const isCall = ({ caller, path, key }: KeyedCall): Sql =>
  sql`tenant_id = ${caller} AND path = ${path} AND key = ${key}`;

/** SQL: the condition for the row of a call without a response, if this reservation still holds the row. */
const isHeld = (reservation: Reservation): Sql =>
  sql`${isCall(reservation)} AND owner = ${reservation.owner} AND sealed_answer IS NULL`;

/**
 * Reserves a call that has no row. The commit of the reservation does not wait for the disk, since the
 * commit of the call does: a crash of the database loses the reservation only together with the call.
 *
 * @returns false when the call already has a row
 */
export async function reserve(
  db: Queryable,
  { caller, path, key, owner }: Reservation,
  requestHash: Buffer,
  now: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    INSERT INTO idempotency_keys
      (tenant_id, path, key, owner, request_hash, lease_until, expires_at)
    SELECT ${caller}, ${path}, ${key}, ${owner}, ${requestHash}, ${LEASE}, ${new Date(now + RETENTION_MS)}
    FROM set_config('synchronous_commit', 'off', true)
    ON CONFLICT DO NOTHING RETURNING 1`);
  return rows.length > 0;
}

/**
 * Reserves a call whose row has expired, or whose owner crashed. Does not wait for a locked row, since its
 * response is being committed, or another call is taking it over.
 *
 * @returns false if another owner was faster
 */
export async function takeOver(
  db: Queryable,
  reservation: Reservation,
  requestHash: Buffer,
  now: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    WITH free AS MATERIALIZED (
      SELECT FROM idempotency_keys
      WHERE ${isCall(reservation)}
        AND (expires_at <= ${new Date(now)} OR (sealed_answer IS NULL AND lease_until <= now()
                                                AND request_hash = ${requestHash}))
      FOR UPDATE SKIP LOCKED)
    UPDATE idempotency_keys SET owner = ${reservation.owner}, request_hash = ${requestHash},
      sealed_answer = NULL, lease_until = ${LEASE}, expires_at = ${new Date(now + RETENTION_MS)}
    WHERE ${isCall(reservation)} AND EXISTS (SELECT FROM free)
    RETURNING 1`);
  return rows.length > 0;
}

export async function findCall(
  db: Queryable,
  call: KeyedCall,
  now: number,
): Promise<StoredCall | undefined> {
  const [row] = await db.query<StoredCall>(sql`
    SELECT request_hash AS "requestHash", sealed_answer AS "sealedResponse",
           expires_at <= ${new Date(now)} AS "isExpired", lease_until > now() AS "isRunning"
    FROM idempotency_keys WHERE ${isCall(call)}`);
  return row;
}

/** Stores the response. @throws LostReservation */
export async function storeResponse(
  db: Queryable,
  reservation: Reservation,
  sealedResponse: string,
): Promise<void> {
  const rows = await db.query(responseUpdate(reservation, sealedResponse));
  if (rows.length === 0) throw new LostReservation();
}

/** SQL that stores the response, and returns no row when the reservation was lost. */
export const responseUpdate = (reservation: Reservation, sealedResponse: string): Sql => sql`
  UPDATE idempotency_keys SET sealed_answer = ${sealedResponse} WHERE ${isHeld(reservation)}
  RETURNING 1`;

/**
 * Keeps the reservation until the transaction ends. If it was lost, the failure is returned and not
 * thrown, since the transaction may commit other operations, too.
 */
export async function lockReservation(
  tx: Queryable,
  reservation: Reservation,
): Promise<LostReservation | undefined> {
  const rows = await tx.query(sql`
    SELECT 1 AS held FROM idempotency_keys WHERE ${isHeld(reservation)} FOR UPDATE`);
  return rows.length === 0 ? new LostReservation() : undefined;
}

/**
 * Deletes the row of a call, so that the call can be repeated.
 *
 * @throws LostReservation, also when the call already has a response
 */
export async function release(db: Queryable, reservation: Reservation): Promise<void> {
  const rows = await db.query(sql`
    DELETE FROM idempotency_keys WHERE ${isHeld(reservation)} RETURNING 1`);
  if (rows.length === 0) throw new LostReservation();
}

/** SQL for a FROM clause: a row of caller, path and key for each call. */
export const rowsOf = (calls: KeyedCall[]): Sql => sql`
  unnest(${calls.map(({ caller }) => caller)}::text[], ${calls.map(({ path }) => path)}::text[],
         ${calls.map(({ key }) => key)}::text[])`;

/** Renews leases in one statement. A row whose response is being written is skipped. */
export async function renew(db: Queryable, reservations: Reservation[]): Promise<void> {
  await db.query(sql`
    UPDATE idempotency_keys SET lease_until = ${LEASE}
    WHERE (tenant_id, path, key) IN (
      SELECT tenant_id, path, key
      FROM idempotency_keys
      WHERE (tenant_id, path, key) IN (SELECT * FROM ${rowsOf(reservations)})
        AND owner = ANY(${reservations.map(({ owner }) => owner)}) AND sealed_answer IS NULL
      FOR UPDATE SKIP LOCKED)`);
}

/** Returns the calls that are still running, in one statement. */
export async function findRunning(db: Queryable, calls: KeyedCall[]): Promise<KeyedCall[]> {
  return db.query<KeyedCall>(sql`
    SELECT tenant_id AS caller, path, key FROM idempotency_keys
    WHERE (tenant_id, path, key) IN (SELECT * FROM ${rowsOf(calls)})
      AND sealed_answer IS NULL AND lease_until > now()`);
}

export const deleteExpiredReservations = ({ db, clock }: { db: Queryable; clock: Clock }) =>
  deleteExpiredRows(db, EXPIRING_TABLE, new Date(clock.now()));

const EXPIRING_TABLE = {
  table: sql`idempotency_keys`,
  key: ['tenant_id', 'path', 'key'],
  time: 'expires_at',
};

/** The context for which a response is encrypted, so that it can be decrypted for its own call only. */
export const storageAddress = ({ caller, path, key }: KeyedCall) =>
  `idempotency_keys/${caller}/${path}/${key}`;
