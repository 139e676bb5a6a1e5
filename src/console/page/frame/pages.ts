import type { PageName } from '../app/search.ts';
import { inWords } from '../parts/basics.tsx';
import type { IconName } from '../parts/icon.tsx';

interface PageEntry {
  name: PageName;
  icon: IconName;
  /** The purpose of the page, as the command palette shows it. */
  description: string;
}

/** Every page, in the order of the navigation. */
export const PAGES: PageEntry[] = [
  { name: 'overview', icon: 'pulse', description: 'Requests, errors, deliveries and processes' },
  {
    name: 'requests',
    icon: 'clock',
    description: 'Individual requests: what failed and what was slow',
  },
  {
    name: 'playground',
    icon: 'play',
    description: 'A live document with two people, an agent, and every operation to try out',
  },
  { name: 'webhooks', icon: 'send', description: 'Endpoints, deliveries and their attempts' },
  { name: 'events', icon: 'list', description: 'The event log, live' },
  {
    name: 'directory',
    icon: 'folder',
    description: 'Organizations, folders, documents, users and groups',
  },
  {
    name: 'access',
    icon: 'lock',
    description: 'Why a user can or cannot open a document, and what a change would do',
  },
  {
    name: 'live-documents',
    icon: 'file',
    description: 'Open documents, who is in them, and their versions',
  },
  {
    name: 'feedback',
    icon: 'comment',
    description: 'Comments, notifications and the activity log',
  },
  { name: 'memory', icon: 'bulb', description: 'Past decisions, and alerts about unusual ones' },
  { name: 'settings', icon: 'gear', description: 'API keys, tokens, domains and services' },
];

/** The label of a page: `Live documents` for `live-documents`. */
export const labelOf = ({ name }: PageEntry): string => inWords(name.replaceAll('-', ' '));
