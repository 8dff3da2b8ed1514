# The standalone service. BASE may be any image with Node 24 and glibc (docs/operations.md).
ARG BASE=docker.io/library/node:24-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY deploy/standalone/package.json deploy/standalone/
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts --no-update-notifier
COPY . .
RUN npm run build && chmod +x dist/src/cli.js && find dist -name '*.map' -delete

FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY deploy/standalone/package.json deploy/standalone/
COPY scripts/sbom.mjs scripts/
# This image requires a PostgreSQL server, as the embedded database is for trying the service out. The service does not use its client.
# The links to the workspaces lead nowhere here.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev --ignore-scripts --no-update-notifier && \
  rm -rf node_modules/@electric-sql node_modules/user-management-service-* && \
  node scripts/sbom.mjs @electric-sql/pglite >sbom.cdx.json

FROM ${BASE}
ARG VERSION=2.3.1
ARG REVISION=unknown
LABEL org.opencontainers.image.title="User Management Service" \
      org.opencontainers.image.description="A REST API that manages an organization's users and API tokens" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production MANAGEMENT_PORT=9464
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/src/cli.js /usr/local/bin/ums
USER 10001:10001
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# An init process is not needed: the service handles SIGTERM as PID 1 (src/entry/process/signals.ts) and starts no child processes.
# BASE may have an entry point.
ENTRYPOINT []
CMD ["node", "/app/dist/src/main.js"]
