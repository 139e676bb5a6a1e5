import S3rver from '@20minutes/s3rver';
import type { S3Settings } from '../../src/platform/files/s3-store.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

/**
 * A server with the interface of S3 and an empty bucket, closed at the end of the file. It verifies
 * signatures, but compares no checksums and replaces objects whatever `If-None-Match` says.
 */
export async function startS3(): Promise<S3Settings> {
  const directory = await temporaryFolder('test-s3-');
  const bucket = 'attachments';
  const s3 = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await s3.run();
  whenFileEnds(() => s3.close());
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, bucket, region: 'us-east-1' },
    ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  };
}
