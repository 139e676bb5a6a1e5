import type { Services } from '../../api/context.ts';
import { newId } from '../../platform/ids.ts';
import { useUp } from './used-ids.ts';

/** A link with which whoever starts the server signs in as its administrator, once. */

const LIFETIME_MS = 10 * 60_000;
const PLACE = 'console sign-in link';

interface Link {
  id: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** The secret is in the fragment, which browsers send to nobody, so no proxy logs it. */
export function signInLink({ config, secrets, clock }: Services): string {
  const link: Link = { id: newId(), expiresAt: clock.now() + LIFETIME_MS };
  return `${config.publicUrl}/console/sign-in#${secrets.seal(JSON.stringify(link), PLACE)}`;
}

/** Uses a link up. @returns whether it was valid */
export async function redeemSignInLink(services: Services, sealed: string): Promise<boolean> {
  const link = open(services, sealed);
  if (!link || link.expiresAt <= services.clock.now()) return false;
  return useUp(services, link.id, link.expiresAt + LIFETIME_MS);
}

function open({ secrets }: Services, sealed: string): Link | undefined {
  try {
    return JSON.parse(secrets.open(sealed, PLACE)) as Link;
  } catch {
    return undefined;
  }
}
