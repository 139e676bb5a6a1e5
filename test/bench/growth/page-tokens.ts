import { writePageToken } from '../../../src/api/paging.ts';
import { Secrets } from '../../../src/platform/secrets.ts';
import { SECRET_KEY, TENANT } from '../harness/credentials.ts';

const secrets = new Secrets(SECRET_KEY);

/** The token for the page after a row, which a caller gets by reading all pages before it. */
export const pageTokenAfter = (operation: string, filters: object, key: string[]): string =>
  writePageToken(secrets, { operation, tenantId: TENANT, filters }, key);
