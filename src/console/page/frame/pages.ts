import { lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { Overview } from '../pages/overview/overview.tsx';
import type { IconName } from '../parts/icon.tsx';

export interface PageEntry {
  /** Pages of an API key have it in their address, so that an address can be passed on. */
  path: '/overview' | `/key/$apiKey/${string}`;
  label: string;
  icon: IconName;
  /** The purpose of the page, as the command palette shows it. */
  about: string;
  component: RouteComponent;
}

/** Every page, in the order of the navigation. All but the first are loaded when they are first opened. */
export const PAGES: PageEntry[] = [
  {
    path: '/overview',
    label: 'Overview',
    icon: 'pulse',
    about: 'Requests, errors, deliveries and processes',
    component: Overview,
  },
  {
    path: '/key/$apiKey/playground',
    label: 'Playground',
    icon: 'play',
    about: 'Two people on one live document, and what each call does',
    component: lazyRouteComponent(() => import('../pages/playground/playground.tsx'), 'Playground'),
  },
  {
    path: '/key/$apiKey/webhooks',
    label: 'Webhooks',
    icon: 'send',
    about: 'Endpoints, deliveries and their attempts',
    component: lazyRouteComponent(() => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
  },
  {
    path: '/key/$apiKey/events',
    label: 'Events',
    icon: 'list',
    about: 'The event log, live',
    component: lazyRouteComponent(() => import('../pages/events/events.tsx'), 'Events'),
  },
  {
    path: '/key/$apiKey/directory',
    label: 'Directory',
    icon: 'folder',
    about: 'Organizations, folders, documents, users and groups',
    component: lazyRouteComponent(() => import('../pages/directory/directory.tsx'), 'Directory'),
  },
  {
    path: '/key/$apiKey/access',
    label: 'Access',
    icon: 'lock',
    about: 'Why a user may read a document, and what if',
    component: lazyRouteComponent(() => import('../pages/access/access.tsx'), 'Access'),
  },
  {
    path: '/key/$apiKey/live-documents',
    label: 'Live documents',
    icon: 'file',
    about: 'What is open, who is in it, versions',
    component: lazyRouteComponent(
      () => import('../pages/live-documents/live-documents.tsx'),
      'LiveDocuments',
    ),
  },
  {
    path: '/key/$apiKey/feedback',
    label: 'Feedback',
    icon: 'comment',
    about: 'Comments, notifications and the activity chain',
    component: lazyRouteComponent(() => import('../pages/feedback/feedback.tsx'), 'Feedback'),
  },
  {
    path: '/key/$apiKey/memory',
    label: 'Memory',
    icon: 'bulb',
    about: 'Suggestions, alerts and calibration',
    component: lazyRouteComponent(() => import('../pages/memory/memory.tsx'), 'Memory'),
  },
  {
    path: '/key/$apiKey/settings',
    label: 'Settings',
    icon: 'gear',
    about: 'Keys, tokens, domains and services',
    component: lazyRouteComponent(() => import('../pages/settings/settings.tsx'), 'Settings'),
  },
];

export const isOfKey = ({ path }: PageEntry): boolean => path.startsWith('/key/');
