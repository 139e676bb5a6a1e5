import { notifications } from '@mantine/notifications';
import { failureOf } from '../api/failure.ts';

/** Says that an act was done. */
export const done = (message: string): void =>
  void notifications.show({ message, color: 'teal', withBorder: true });

/** Says why an act failed: the API's message, and the request's id. */
export function failed(error: unknown): void {
  const { message, requestId } = failureOf(error);
  notifications.show({
    title: message,
    message: requestId ? `Request ${requestId}` : '',
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
  });
}
