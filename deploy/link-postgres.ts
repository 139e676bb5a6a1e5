import { makeLibraryLinks } from '../src/platform/database/embedded-postgres/library-links.ts';
import { findPackage } from '../src/platform/database/embedded-postgres/platform-package.ts';

/** Makes the links between libraries while the files of the image can be changed. */
makeLibraryLinks(findPackage().native);
