import {
  findPackage,
  makeLibraryLinks,
} from '../src/platform/database/embedded-postgres/binaries.ts';

/** Makes the links between libraries while the files of the image can be changed. */
makeLibraryLinks(findPackage().native);
