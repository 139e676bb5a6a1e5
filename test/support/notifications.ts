import { dataOf, type Loose } from './answers.ts';
import type { Answer, TestServer } from './server.ts';

/** Calls that tests of notifications share. */
export const notificationsOf = (server: TestServer) => ({
  add: (data: object): Promise<Answer> =>
    server.call('/v2/notifications/add', { ...NOTIFICATION, ...data }),
  get: (data: object, headers?: Record<string, string>): Promise<Answer> =>
    server.call('/v2/notifications/get', data, headers),
  /** Adds or removes a role of a user. */
  change: (operation: 'add' | 'remove', userId: string, resource: object) =>
    server.ok(`/v2/auth/permissions/${operation}`, {
      user: { userId },
      permissions: { resources: [resource] },
    }),
});

/** Event readers run at any time, and use other tables. */
export const ownStatements = (statements: string[]): string[] =>
  statements.filter((text) => /\b(?:notification|users|documents|organizations|grants)/.test(text));

/** A notification without its place and id. */
export const NOTIFICATION = {
  actionUser: { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
  notifyUsers: [{ userId: 'grace', name: 'Grace Hopper' }],
  displayHeadlineMessageTemplate: '{actionUser} told {recipientUser} of {task}',
  displayHeadlineMessageTemplateData: { task: 'the launch' },
  displayBodyMessage: 'It is due on Friday.',
};

export const idsOf = (answer: Answer): string[] => dataOf(answer).map((one: Loose) => one.id);
