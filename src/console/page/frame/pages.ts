import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import type { PageName } from '../app/search.ts';
import { Overview } from '../pages/overview/overview.tsx';
import type { IconName } from '../parts/icon.tsx';

export interface PageEntry {
  name: PageName;
  label: string;
  icon: IconName;
  /** The purpose of the page, as the command palette shows it. */
  about: string;
  component: RouteComponent;
  /** Whether the page is about the server, and not about an API key. */
  isOfServer?: boolean;
}

/** Every page, in the order of the navigation. All but the first are loaded when they are first opened. */
export const PAGES: PageEntry[] = [
  {
    name: 'overview',
    label: 'Overview',
    icon: 'pulse',
    about: 'Requests, errors, deliveries and processes',
    component: Overview,
    isOfServer: true,
  },
  {
    name: 'requests',
    label: 'Requests',
    icon: 'clock',
    about: 'Single requests: what failed and what was slow',
    component: lazyRouteComponent(() => import('../pages/requests/requests.tsx'), 'Requests'),
    isOfServer: true,
  },
  {
    name: 'playground',
    label: 'Playground',
    icon: 'play',
    about: 'Two people on one live document, an agent, and every operation to try',
    component: lazyRouteComponent(() => import('../pages/playground/playground.tsx'), 'Playground'),
  },
  {
    name: 'webhooks',
    label: 'Webhooks',
    icon: 'send',
    about: 'Endpoints, deliveries and their attempts',
    component: lazyRouteComponent(() => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
  },
  {
    name: 'events',
    label: 'Events',
    icon: 'list',
    about: 'The event log, live',
    component: lazyRouteComponent(() => import('../pages/events/events.tsx'), 'Events'),
  },
  {
    name: 'directory',
    label: 'Directory',
    icon: 'folder',
    about: 'Organizations, folders, documents, users and groups',
    component: lazyRouteComponent(() => import('../pages/directory/directory.tsx'), 'Directory'),
  },
  {
    name: 'access',
    label: 'Access',
    icon: 'lock',
    about: 'Why a user can open a document, and what a change would do',
    component: lazyRouteComponent(() => import('../pages/access/access.tsx'), 'Access'),
  },
  {
    name: 'live-documents',
    label: 'Live documents',
    icon: 'file',
    about: 'What is open, who is in it, versions',
    component: lazyRouteComponent(
      () => import('../pages/live-documents/live-documents.tsx'),
      'LiveDocuments',
    ),
  },
  {
    name: 'feedback',
    label: 'Feedback',
    icon: 'comment',
    about: 'Comments, notifications and the activity chain',
    component: lazyRouteComponent(() => import('../pages/feedback/feedback.tsx'), 'Feedback'),
  },
  {
    name: 'memory',
    label: 'Memory',
    icon: 'bulb',
    about: 'Suggestions and alerts',
    component: lazyRouteComponent(() => import('../pages/memory/memory.tsx'), 'Memory'),
  },
  {
    name: 'settings',
    label: 'Settings',
    icon: 'gear',
    about: 'Keys, tokens, domains and services',
    component: lazyRouteComponent(() => import('../pages/settings/settings.tsx'), 'Settings'),
  },
];

/** Pages of an API key have it in their address, so that an address can be passed on. */
export const pathOf = ({ name, isOfServer }: PageEntry): string =>
  isOfServer ? `/${name}` : `/key/$apiKey/${name}`;
