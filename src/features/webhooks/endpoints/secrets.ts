import { randomBytes } from 'node:crypto';
import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SealedColumn, Secrets } from '../../../platform/secrets.ts';
import { wakeQueues } from '../queues.ts';
import { endpointNotFound, requireAdvancedWebhooks } from './require-endpoint.ts';

/** How long a previous secret continues to sign deliveries, in addition to the new one. */
const PREVIOUS_SECRET_VALID_MS = 24 * 60 * 60 * 1000;
/** The most previous secrets that are kept. Each one makes the signature header longer. */
const MAX_PREVIOUS_SECRETS = 10;

interface PreviousSecret {
  secret: string;
  /** Until when it signs deliveries, in epoch milliseconds. */
  until: number;
}

interface SealedSecrets {
  sealedSecret: string;
  sealedPreviousSecrets: string | null;
}

type Column = 'sealed_secret' | 'sealed_previous_secrets' | 'url';

const storageAddress = (tenantId: string, endpointId: string, column: Column) =>
  `webhook_endpoints/${tenantId}/${endpointId}/${column}`;

/** Returns the encryption context of an endpoint's URL. */
export const urlStorageAddress = (tenantId: string, endpointId: string): string =>
  storageAddress(tenantId, endpointId, 'url');

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Creates the encrypted secret of a new endpoint, which clients read with `endpoints/secret/get`. */
export const sealNewSecret = (secrets: Secrets, tenantId: string, endpointId: string): string =>
  secrets.seal(newSecret(), storageAddress(tenantId, endpointId, 'sealed_secret'));

/**
 * Decrypts the secrets that sign deliveries: the current one, and the previous ones, newest first.
 *
 * @throws Error if a secret cannot be decrypted, since nothing may be sent unsigned
 */
export function openSecrets(
  secrets: Secrets,
  tenantId: string,
  endpointId: string,
  { sealedSecret, sealedPreviousSecrets }: SealedSecrets,
): { secret: string; previous: PreviousSecret[] } {
  const open = (sealed: string, column: Column) =>
    secrets.open(sealed, storageAddress(tenantId, endpointId, column));
  const previous =
    sealedPreviousSecrets === null ? '[]' : open(sealedPreviousSecrets, 'sealed_previous_secrets');
  return {
    secret: open(sealedSecret, 'sealed_secret'),
    previous: JSON.parse(previous) as PreviousSecret[],
  };
}

export async function getSecret(ctx: KeyContext, endpointId: string) {
  const { tenantId } = ctx;
  await requireAdvancedWebhooks(ctx);
  const [row] = await ctx.db.query<SealedSecrets>(sql`
    SELECT sealed_secret AS "sealedSecret", sealed_previous_secrets AS "sealedPreviousSecrets"
    FROM webhook_endpoints WHERE tenant_id = ${tenantId} AND id = ${endpointId}`);
  if (!row) throw endpointNotFound();
  return { endpointId, secret: openSecrets(ctx.secrets, tenantId, endpointId, row).secret };
}

/** Creates a new secret. The old one signs for another day, so that receivers have time to switch. */
export async function rotateSecret(ctx: KeyContext, endpointId: string) {
  const { secrets, tenantId } = ctx;
  await requireAdvancedWebhooks(ctx);
  const now = ctx.clock.now();
  const secret = newSecret();
  const seal = (text: string, column: Column) =>
    secrets.seal(text, storageAddress(tenantId, endpointId, column));
  await ctx.db.transaction(async (tx) => {
    const [row] = await tx.query<SealedSecrets>(sql`
      SELECT sealed_secret AS "sealedSecret", sealed_previous_secrets AS "sealedPreviousSecrets"
      FROM webhook_endpoints WHERE tenant_id = ${tenantId} AND id = ${endpointId} FOR UPDATE`);
    if (!row) throw endpointNotFound();
    const current = openSecrets(secrets, tenantId, endpointId, row);
    const previous = [
      { secret: current.secret, until: now + PREVIOUS_SECRET_VALID_MS },
      ...current.previous.filter(({ until }) => until > now),
    ];
    if (previous.length > MAX_PREVIOUS_SECRETS) throw rotatedTooOften();
    await tx.query(sql`
      UPDATE webhook_endpoints SET sealed_secret = ${seal(secret, 'sealed_secret')},
        sealed_previous_secrets = ${seal(JSON.stringify(previous), 'sealed_previous_secrets')},
        updated_at = ${new Date(now)}
      WHERE tenant_id = ${tenantId} AND id = ${endpointId}`);
    await wakeQueues(ctx, tx, endpointId);
  });
  return { endpointId, secret };
}

const rotatedTooOften = () =>
  new AppError(
    'RESOURCE_EXHAUSTED',
    `A secret can be rotated at most ${MAX_PREVIOUS_SECRETS} times in 24 hours, since each previous secret signs for that long.`,
  );

const sealedColumn = (column: Column): SealedColumn => ({
  table: 'webhook_endpoints',
  column,
  key: ['tenant_id', 'id'],
  storageAddress: (tenantId, endpointId) =>
    storageAddress(String(tenantId), String(endpointId), column),
});

export const SEALED_WEBHOOK_SECRETS: readonly SealedColumn[] = [
  sealedColumn('sealed_secret'),
  sealedColumn('sealed_previous_secrets'),
  sealedColumn('url'),
];
