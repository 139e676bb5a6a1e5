import { parseArgs } from 'node:util';
import { keyTargetOf } from '../../src/cli/target.ts';
import { readConfig } from '../../src/config.ts';
import { runningEmbeddedUrl } from '../../src/platform/database/embedded-postgres/settings.ts';
import { seedDemo } from './seed-demo.ts';

// `npm run seed:demo`: fills a running server with a demo. By default, it uses the API key of the quickstart.

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    'api-key': { type: 'string' },
    'auth-token': { type: 'string' },
    annotations: { type: 'string' },
  },
});
const config = readConfig();
const { url, 'api-key': apiKey, 'auth-token': authToken } = values;
const target = keyTargetOf({
  ...(url && { url }),
  ...(apiKey && { apiKey }),
  ...(authToken && { authToken }),
});
const { existed, chainBroken } = await seedDemo({
  ...target,
  databaseUrl: config.databaseUrl ?? runningEmbeddedUrl(config.dataDir),
  ...(values.annotations && { annotations: Number(values.annotations) }),
  onStep: (step) => console.error(`Writing ${step} …`),
});
const chain = chainBroken
  ? 'The activity log of meridian-instruments holds a forged record.'
  : 'No record was forged, because the database cannot be reached from this machine. All activity logs are intact.';
console.log(
  existed
    ? 'The demo already exists.'
    : `The demo is ready. Alerts appear within a minute. ${chain}`,
);
