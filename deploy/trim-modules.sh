#!/bin/sh
# Removes from node_modules what a running server never reads: types, source maps, tests, sources that
# are published beside what is built from them, builds for bundlers, static libraries, packages that
# only optional features of others use, and the query compilers of other databases. Licences stay.
set -eu
cd "$1"
rm -rf typescript @typescript @types undici-types react react-dom scheduler csstype jiti
rm -rf openai/src @anthropic-ai/sdk/src zod/src bintrees/test fastify/test lib0/coverage
rm -rf @opentelemetry/*/build/esm @opentelemetry/*/build/esnext
find @embedded-postgres -name '*.a' -delete
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find . -type f -iname '*.md' ! -iname 'licen*' -delete
find @prisma/client/runtime -name 'query_compiler_*' \
  ! -name 'query_compiler_fast_bg.postgresql.*' -delete
# Links to what is gone, and folders that had nothing else.
find .bin -xtype l -delete
find . -type d -empty -delete
