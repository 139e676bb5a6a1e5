import { buildSite } from './docs/build-site.ts';

/** `npm run build:docs`: writes the documentation, as `/docs` serves it. */
await buildSite();
