/** The guides whose examples run one after the other, in every language. */
export const RUN_GUIDES = [
  ...['access', 'comments', 'attachments', 'notifications', 'errors', 'idempotency'],
  ...['migration', 'going-to-production'],
];

/** The examples of these pages run in tests of their own: in `docs-examples` and in `newcomer`. */
export const RUN_ELSEWHERE = ['webhooks', 'quickstart', 'README'];
