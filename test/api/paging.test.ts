import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PagedQuery, readPageToken, writePageToken } from '../../src/api/paging.ts';
import { Secrets } from '../../src/platform/secrets.ts';

const secrets = new Secrets(randomBytes(32));
const query: PagedQuery = {
  operation: 'documents.get',
  tenantId: 'tenant',
  filters: { organizationId: 'acme', folderId: undefined },
};
const refusal = expect.objectContaining({ status: 'INVALID_ARGUMENT' });

describe('page tokens', () => {
  it('return their key unchanged, with any characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (key) => {
        const wellFormed = key.map((part) => part.toWellFormed());
        const token = writePageToken(secrets, query, wellFormed);
        expect(readPageToken(secrets, query, token)).toEqual(wellFormed);
      }),
    );
  });

  it('do not reveal the key, nor the length of a number in it', () => {
    const [small, large] = ['7', '123456789012'].map((number) =>
      writePageToken(secrets, query, ['after', number]),
    );
    expect(small).toHaveLength(large?.length ?? 0);
    const decoded = (large ?? '').split('.').map((part) => Buffer.from(part, 'base64url'));
    expect(Buffer.concat(decoded).toString('latin1')).not.toContain('123456789012');
  });

  it.each<[string, PagedQuery]>([
    ['operation', { ...query, operation: 'folders.get' }],
    ['tenant', { ...query, tenantId: 'other' }],
    ['filter', { ...query, filters: { organizationId: 'other' } }],
    ['further filter', { ...query, filters: { organizationId: 'acme', folderId: 'f' } }],
  ])('are refused by a query with another %s', (_, other) => {
    const token = writePageToken(secrets, query, ['m']);
    expect(() => readPageToken(secrets, other, token)).toThrow(refusal);
  });

  it('are refused by a server with another SECRET_KEY', () => {
    const token = writePageToken(new Secrets(randomBytes(32)), query, ['m']);
    expect(() => readPageToken(secrets, query, token)).toThrow(refusal);
  });
});
