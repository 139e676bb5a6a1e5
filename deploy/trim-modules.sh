#!/bin/sh
# Removes from node_modules what a running server never reads: types, source maps, sources that are
# published beside what is built from them, and the query compilers of other databases. Licences stay.
set -eu
cd "$1"
rm -rf typescript @typescript @types react react-dom scheduler openai/src @anthropic-ai/sdk/src
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find . -type f -iname '*.md' ! -iname 'licen*' -delete
find @prisma/client/runtime -name 'query_compiler_*' \
  ! -name 'query_compiler_fast_bg.postgresql.*' -delete
# Links to what is gone.
find .bin -xtype l -delete
