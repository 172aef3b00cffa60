# One image for every service; the command names which (see docker-compose.yml).
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Settings of a private registry, and certificates of an intercepting proxy, come in as optional build secrets.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=ca,target=/run/ca.pem \
    if [ -s /run/ca.pem ]; then export NODE_EXTRA_CA_CERTS=/run/ca.pem; fi; \
    npm ci --omit=optional
COPY . .
RUN node scripts/launch.mjs build \
 && mv .build/$(ls .build | grep -E '^[0-9a-f]{16}$' | head -n 1) /app \
 && npm prune --omit=dev --omit=optional \
 && mv node_modules /app/node_modules

FROM node:24-bookworm-slim
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps HOST=0.0.0.0 HEALTH_HOST=0.0.0.0 HEALTH_PORT=8080
WORKDIR /app
COPY --from=build /app ./
USER node
EXPOSE 3000 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD node -e "fetch('http://127.0.0.1:'+(process.env.CHECK_PORT||8080)+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "apps/gateway/src/main.js"]
