import path from 'node:path';
import type { NextConfig } from 'next';

const config: NextConfig = {
  // The packages of all examples are installed in the folder above.
  turbopack: { root: path.join(import.meta.dirname, '..') },
};

export default config;
