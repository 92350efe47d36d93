# syntax=docker/dockerfile:1
# One image for each app: docker build --build-arg APP=api .
ARG NODE_VERSION=24
ARG APP

FROM node:${NODE_VERSION}-bookworm-slim AS base
ENV TURBO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1 npm_config_update_notifier=false npm_config_fund=false
WORKDIR /app

# The app with the packages that it needs and nothing else, manifests apart from sources.
FROM base AS prune
ARG APP
COPY . .
RUN npx --yes turbo@2.11.9 prune "@tributary/${APP}" --docker

FROM base AS build
ARG APP
# The manifests first: dependencies are installed again only when these change.
COPY --from=prune /app/out/json/ ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY --from=prune /app/out/full/ ./
COPY tsconfig.base.json ./
RUN npx turbo run build --filter="@tributary/${APP}" && npm prune --omit=dev --ignore-scripts

FROM base AS run-api
FROM base AS run-sandbox
FROM base AS run-worker
# Keeps it within 512 MB; docs/configuration.md says when it has to grow.
ENV NODE_OPTIONS=--max-old-space-size=256

FROM run-${APP} AS run
ARG APP
ENV NODE_ENV=production APP=${APP}
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
USER node
CMD ["sh", "-c", "exec node --enable-source-maps apps/${APP}/dist/main.js"]
