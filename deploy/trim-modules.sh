#!/bin/sh
# Removes from node_modules what a running server never reads: types, source maps, tests, sources that
# are published beside what is built from them, builds for bundlers, static libraries, and the headers of
# Node.js. Licences stay.
set -eu
cd "$1"
rm -rf typescript @typescript @types undici-types node/node_modules
rm -rf openai/src @anthropic-ai/sdk/src zod/src bintrees/test fastify/test lib0/coverage
rm -rf @opentelemetry/*/build/esm @opentelemetry/*/build/esnext
find @embedded-postgres -name '*.a' -delete
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find . -type f -iname '*.md' ! -iname 'licen*' -delete
# Links to what is gone, and folders that had nothing else.
find .bin -xtype l -delete
find . -type d -empty -delete
