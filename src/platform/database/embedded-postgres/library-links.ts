import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * npm packages cannot hold symbolic links, so the package lists them for its install script, which
 * may not have run. False when one is missing and cannot be made (read-only node_modules).
 */
export function makeLibraryLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links.every(({ source, target }) => {
    // The list counts from the package, where the folder is `native`; a copy has another name.
    const path = join(native, target.replace(/^native\//, ''));
    return makeLink(path, basename(source));
  });
}

/** Both names are always in the same folder, so the link survives a move of the whole. */
function makeLink(path: string, destination: string): boolean {
  if (existsSync(path)) return true;
  try {
    symlinkSync(destination, path);
  } catch {
    // Another process may have been faster.
  }
  return existsSync(path);
}
