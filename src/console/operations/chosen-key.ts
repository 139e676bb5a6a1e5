import { chosen, type SignedIn } from '../../api/credentials/signed-in.ts';

/**
 * The API key that a call of the console is about. The session was found to have it.
 *
 * @throws FAILED_PRECONDITION when the call names none
 */
export const chosenKey = ({ signedIn }: { signedIn: SignedIn }): string =>
  chosen(signedIn.apiKey, 'API key');
