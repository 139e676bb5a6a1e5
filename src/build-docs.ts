import { buildSite } from './docs/build-site.ts';

/** `npm run build:docs`: writes the documentation that `/docs` serves. */
await buildSite();
