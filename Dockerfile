# syntax=docker/dockerfile:1

# Builds the console and the documentation, and leaves what a running server needs.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# The commit that metrics and /readyz name.
ARG COMMIT=unknown
# The image has its own Node.js, and everything is built.
RUN npm pkg delete dependencies.node scripts.postinstall \
  && npm pkg set gitHead="$COMMIT" \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && deploy/trim-modules.sh node_modules \
  && node deploy/link-postgres.ts

FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin collaboration \
  && install -d -o collaboration -g collaboration -m 700 /data \
  && chmod +x /app/src/cli/main.ts \
  && ln -s /app/src/cli/main.ts /usr/local/bin/collaboration
WORKDIR /app
USER 10001:10001
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/tmp/node-compile-cache \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data
# Holds the embedded database where DATABASE_URL is not set.
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "deploy/healthcheck.ts"]
# Without this limit, garbage may take 100 MB more, and no time is saved.
CMD ["node", "--max-semi-space-size=16", "src/main.ts"]
