import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { CollaborationError } from '../../../client/error.ts';
import type { PageName } from '../app/search.ts';
import { Overview } from '../pages/overview/overview.tsx';
import { inWords } from '../parts/basics.tsx';
import type { IconName } from '../parts/icon.tsx';

export interface PageEntry {
  name: PageName;
  icon: IconName;
  /** The purpose of the page, as the command palette shows it. */
  description: string;
  component: RouteComponent;
}

/**
 * Loads the code of a page when it is first opened. If that fails, the router reloads the window, since
 * an update of the server renames the code; while the server is away, this shows the failure instead.
 */
const lazyPage = <Name extends string>(
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
): RouteComponent => {
  const explain = async (cause: unknown): Promise<never> => {
    const answer = await fetch('/console').catch(() => undefined);
    if (answer?.ok) throw cause;
    const message = 'This page cannot be loaded, because the server cannot be reached.';
    throw new CollaborationError({ message, status: 'UNAVAILABLE', httpStatus: 0, cause });
  };
  return lazyRouteComponent(() => load().catch(explain), name);
};

/** Every page, in the order of the navigation. All but the first are loaded when they are first opened. */
export const PAGES: PageEntry[] = [
  {
    name: 'overview',
    icon: 'pulse',
    description: 'Requests, errors, deliveries and processes',
    component: Overview,
  },
  {
    name: 'requests',
    icon: 'clock',
    description: 'Single requests: what failed and what was slow',
    component: lazyPage(() => import('../pages/requests/requests.tsx'), 'Requests'),
  },
  {
    name: 'playground',
    icon: 'play',
    description: 'Two people on one live document, an agent, and every operation to try',
    component: lazyPage(() => import('../pages/playground/playground.tsx'), 'Playground'),
  },
  {
    name: 'webhooks',
    icon: 'send',
    description: 'Endpoints, deliveries and their attempts',
    component: lazyPage(() => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
  },
  {
    name: 'events',
    icon: 'list',
    description: 'The event log, live',
    component: lazyPage(() => import('../pages/events/events.tsx'), 'Events'),
  },
  {
    name: 'directory',
    icon: 'folder',
    description: 'Organizations, folders, documents, users and groups',
    component: lazyPage(() => import('../pages/directory/directory.tsx'), 'Directory'),
  },
  {
    name: 'access',
    icon: 'lock',
    description: 'Why a user can open a document, and what a change would do',
    component: lazyPage(() => import('../pages/access/access.tsx'), 'Access'),
  },
  {
    name: 'live-documents',
    icon: 'file',
    description: 'What is open, who is in it, versions',
    component: lazyPage(
      () => import('../pages/live-documents/live-documents.tsx'),
      'LiveDocuments',
    ),
  },
  {
    name: 'feedback',
    icon: 'comment',
    description: 'Comments, notifications and the activity chain',
    component: lazyPage(() => import('../pages/feedback/feedback.tsx'), 'Feedback'),
  },
  {
    name: 'memory',
    icon: 'bulb',
    description: 'Suggestions and alerts',
    component: lazyPage(() => import('../pages/memory/memory.tsx'), 'Memory'),
  },
  {
    name: 'settings',
    icon: 'gear',
    description: 'Keys, tokens, domains and services',
    component: lazyPage(() => import('../pages/settings/settings.tsx'), 'Settings'),
  },
];

/** `live-documents` as `Live documents`. */
export const labelOf = ({ name }: PageEntry): string => inWords(name.replaceAll('-', ' '));
