import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  parseSearchWith,
  type RouteComponent,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { CollaborationError } from '../../../client/error.ts';
import { isConsolePath, OPEN_ID_REFUSALS, type OpenIdRefusal } from '../../session/sign-in-page.ts';
import { call } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { keysQuery } from '../api/read.ts';
import { type Person, seesSecrets, sessionQuery } from '../api/session.ts';
import { type PageName, pathOf, readSearch } from '../app/search.ts';
import { Overview } from '../pages/overview/overview.tsx';
import { Empty, PageFailure } from '../parts/basics.tsx';
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

/** The parent of all pages except the sign-in page, to which it sends people who are not signed in. */
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

/**
 * Loads the code of a page when the page is first opened. If the code is missing, the router reloads the window,
 * because an update of the server may have renamed it. If the server cannot be reached, the page shows the failure.
 */
const lazyPage = <Name extends string>(
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
): RouteComponent => {
  const throwReason = async (cause: unknown): Promise<never> => {
    const response = await fetch('/console').catch(() => undefined);
    if (response?.ok) throw cause;
    const message = 'This page cannot be loaded, because the server cannot be reached.';
    throw new CollaborationError({ message, status: 'UNAVAILABLE', httpStatus: 0, cause });
  };
  return lazyRouteComponent(() => load().catch(throwReason), name);
};

/** The code of every page except the overview is loaded when the page is first opened. */
const COMPONENTS: Record<PageName, RouteComponent> = {
  overview: Overview,
  requests: lazyPage(() => import('../pages/requests/requests.tsx'), 'Requests'),
  playground: lazyPage(() => import('../pages/playground/playground.tsx'), 'Playground'),
  webhooks: lazyPage(() => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
  events: lazyPage(() => import('../pages/events/events.tsx'), 'Events'),
  directory: lazyPage(() => import('../pages/directory/directory.tsx'), 'Directory'),
  access: lazyPage(() => import('../pages/access/access.tsx'), 'Access'),
  'live-documents': lazyPage(
    () => import('../pages/live-documents/live-documents.tsx'),
    'LiveDocuments',
  ),
  feedback: lazyPage(() => import('../pages/feedback/feedback.tsx'), 'Feedback'),
  memory: lazyPage(() => import('../pages/memory/memory.tsx'), 'Memory'),
  settings: lazyPage(() => import('../pages/settings/settings.tsx'), 'Settings'),
};

const pages = Object.entries(COMPONENTS).map(([name, component]) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: pathOf(name as PageName, '$apiKey'),
    component,
    validateSearch: readSearch(name as PageName),
  }),
);

/** The organization that the first start creates. */
const DEMO_ID = 'demo';

/**
 * Returns the API key of a fresh server, which has one key and no organization except the demo. There, people see
 * the playground first. For any other server, this returns undefined, and people see the overview first.
 */
async function keyOfFreshServer(person: Person): Promise<string | undefined> {
  if (!seesSecrets(person)) return undefined;
  try {
    const { keys } = await queryClient.ensureQueryData(keysQuery);
    const [key] = keys;
    if (!key || keys.length > 1) return undefined;
    const { data } = await call(key.apiKey, 'organizations.get', { pageSize: 2 });
    return data.every(({ organizationId }) => organizationId === DEMO_ID) ? key.apiKey : undefined;
  } catch {
    // The overview shows the failure.
    return undefined;
  }
}

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const apiKey = await keyOfFreshServer(context.person);
    throw redirect({ to: apiKey === undefined ? '/overview' : pathOf('playground', apiKey) });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([home, ...pages])]),
  basepath: '/console',
  // All parameters stay strings: as a number, a long ID would lose digits.
  parseSearch: parseSearchWith(String),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});
