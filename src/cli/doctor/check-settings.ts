import { nearestName } from '../../api/nearest-name.ts';
import { type Config, SETTINGS } from '../../config.ts';
import { type Finding, fine, warning } from './check.ts';

const isLocal = (host: string): boolean => ['127.0.0.1', '::1', 'localhost'].includes(host);

/** Warns about variables that are not settings, but resemble a setting that is not set. */
export const checkNames = (names: string[]): Finding[] =>
  names.flatMap((name) => {
    const nearest = SETTINGS.includes(name) ? undefined : nearestName(name, SETTINGS);
    if (nearest === undefined || names.includes(nearest)) return [];
    return [warning(`${name} is not a setting.`, `Did you mean ${nearest}?`)];
  });

/** Warns about settings that are allowed, but rarely intended. */
export function checkSettings(config: Config): Finding[] {
  const findings = [fine('Every setting is valid.')];
  if (config.production && config.publicUrl === undefined) {
    const remedy = 'Set PUBLIC_URL to the address that people use.';
    findings.push(warning('Links in emails lead to HOST and PORT.', remedy));
  }
  if (config.production && isLocal(config.host) && config.trustProxy === false) {
    const remedy =
      'Behind a proxy on this machine, set TRUST_PROXY=1; in a container, set HOST=0.0.0.0.';
    findings.push(warning('Only this machine can reach the service.', remedy));
  }
  if (config.outboundAllowedNetworks.some((network) => network.endsWith('/0'))) {
    const remedy = 'List only the networks that webhooks need in OUTBOUND_ALLOWED_NETWORKS.';
    findings.push(warning('Webhooks may reach every network.', remedy));
  }
  if (config.production && config.databaseUrl === undefined) {
    const remedy = 'Set DATABASE_URL before there are several processes or machines.';
    findings.push(warning('The embedded database serves one process.', remedy));
  }
  if (config.s3 === undefined && config.filesDir === undefined) {
    const remedy = 'Set S3_BUCKET with the other S3 settings, or FILES_DIR to a shared folder.';
    const message = 'Attachments are refused, since the processes share no place for files.';
    findings.push(warning(message, remedy));
  }
  return findings;
}
