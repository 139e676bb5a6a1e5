import type { KeyContext } from '../../api/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { outboundProblem } from '../../platform/outbound/agent.ts';

/**
 * Refuses a URL to which no webhook could be sent, instead of letting every delivery fail.
 *
 * @throws INVALID_ARGUMENT on the field at `path`
 */
export async function requireReachable(
  { config }: Pick<KeyContext, 'config'>,
  path: string,
  url: string | undefined,
): Promise<void> {
  if (!url) return;
  const message = await outboundProblem(config.outboundAllowedNetworks, url);
  if (message !== undefined) throw invalidField(path, message);
}
