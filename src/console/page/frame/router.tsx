import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { OPEN_ID_REFUSALS, type OpenIdRefusal } from '../../session/open-id-refusals.ts';
import { isOwnPath } from '../../session/own-path.ts';
import { queries } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { freshKey } from '../app/fresh-key.ts';
import { NotFound } from '../app/not-found.tsx';
import { readSearch } from '../app/search.ts';
import { SignIn } from '../app/sign-in.tsx';
import { PageFailure } from '../parts/failure.tsx';
import { PAGES, pathOf } from './pages.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

const isRefusal = (name: unknown): name is OpenIdRefusal =>
  typeof name === 'string' && Object.hasOwn(OPEN_ID_REFUSALS, name);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ refused, next }: Record<string, unknown>) => ({
    ...(isRefusal(refused) && { refused }),
    ...(isOwnPath(next) && { next }),
  }),
  component: SignIn,
});

/** All pages but the sign-in are for those who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { signedIn: person } = await queries.ensureQueryData(sessionQuery);
    if (!person) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { person };
  },
  component: Shell,
});

const pages = PAGES.map((page) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: pathOf(page),
    component: page.component,
    validateSearch: readSearch(page.name),
  }),
);

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context }) => {
    const apiKey = await freshKey(context.person);
    if (apiKey === undefined) throw redirect({ to: '/overview' });
    throw redirect({ to: '/key/$apiKey/playground', params: { apiKey } });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([home, ...pages])]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});
