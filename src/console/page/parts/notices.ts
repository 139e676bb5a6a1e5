import { notifications } from '@mantine/notifications';
import { toCollaborationError } from '../../../client/error.ts';

export const showSuccess = (message: string): void =>
  void notifications.show({ message, color: 'teal', withBorder: true });

/** Reports a failure: the API's message, and the request's id. */
export function showFailure(error: unknown): void {
  const { message, requestId } = toCollaborationError(error);
  notifications.show({
    title: message,
    message: requestId ? `Request ID: ${requestId}` : '',
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
  });
}
