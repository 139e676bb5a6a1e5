import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { isConsolePath, OPEN_ID_REFUSALS, type OpenIdRefusal } from '../../session/sign-in-page.ts';
import { call } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { keysQuery } from '../api/read.ts';
import { type Person, seesSecrets, sessionQuery } from '../api/session.ts';
import { pathOf, readSearch } from '../app/search.ts';
import { Empty, PageFailure } from '../parts/basics.tsx';
import { PAGES } from './pages.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

const NotFound = () => (
  <Empty title="Page not found">
    The link may be from another version of the console.{' '}
    <Link to="/overview">Go to the overview</Link>
  </Empty>
);

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

const isRefusal = (name: unknown): name is OpenIdRefusal =>
  typeof name === 'string' && Object.hasOwn(OPEN_ID_REFUSALS, name);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ refused, next }: Record<string, unknown>) => ({
    ...(isRefusal(refused) && { refused }),
    ...(isConsolePath(next) && { next }),
  }),
  component: SignIn,
});

/** The parent of all pages but the sign-in: people who are not signed in are sent there. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { signedIn: person } = await queryClient.ensureQueryData(sessionQuery);
    if (!person) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { person };
  },
  component: Shell,
});

const pages = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: pathOf(page.name, '$apiKey'),
    component: page.component,
    validateSearch: readSearch(page.name),
  }),
);

/** The organization that the first start creates. */
const DEMO = 'demo';

/**
 * Returns the key of a fresh server: the only one, with no organization but the demo one. There,
 * people see the playground first, and on any other server the overview.
 */
async function freshKey(person: Person): Promise<string | undefined> {
  if (!seesSecrets(person)) return undefined;
  try {
    const { keys } = await queryClient.ensureQueryData(keysQuery);
    const [key] = keys;
    if (!key || keys.length > 1) return undefined;
    const { data } = await call(key.apiKey, 'organizations.get', { pageSize: 2 });
    return data.every(({ organizationId }) => organizationId === DEMO) ? key.apiKey : undefined;
  } catch {
    // The overview shows the failure.
    return undefined;
  }
}

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const apiKey = await freshKey(context.person);
    throw redirect({ to: apiKey === undefined ? '/overview' : pathOf('playground', apiKey) });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([home, ...pages])]),
  basepath: '/console',
  // All parameters are texts: an ID of digits would lose some as a number.
  parseSearch: parseSearchWith(String),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});
