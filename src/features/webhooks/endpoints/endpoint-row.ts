import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { maskUrl } from '../../../platform/mask-url.ts';
import { decryptIfPossible } from '../../settings/sealed-settings.ts';
import type { Endpoint } from '../schema.ts';
import { urlStorageAddress } from './secrets.ts';

/** An endpoint as it is stored, with its URL encrypted. */
export interface EndpointRow extends Omit<Endpoint, 'createdAt' | 'updatedAt'> {
  position: string;
  createdAt: Date;
  updatedAt: Date;
}

export const endpointColumns: Sql = sql`
  id, position::text, url, description, filter_types AS "filterTypes", channels, disabled,
  rate_limit AS "rateLimit", uid, metadata, created_at AS "createdAt", updated_at AS "updatedAt"`;

type Context = Pick<KeyContext, 'secrets' | 'log' | 'tenantId'>;

export const presentEndpoint = (ctx: Context, { position: _, ...row }: EndpointRow): Endpoint => ({
  ...row,
  url: maskUrl(decryptIfPossible(ctx, row.url, urlStorageAddress(ctx.tenantId, row.id)) ?? ''),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
