# Two stages: the first installs dependencies and builds the native addons, the second is a small unprivileged image.
FROM node:22.23.3-bookworm-slim AS dependencies
WORKDIR /gateway
COPY package.json package-lock.json ./
# The image brings the pinned Node, so the devDependency `node` and all install scripts are skipped.
RUN npm install --no-save --omit=dev --workspaces=false --ignore-scripts --loglevel=error
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
COPY src/native src/native
RUN node src/native/build.ts && mkdir -p build

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA_DIR=/data
WORKDIR /gateway
# The system's libopus: without it, Opus runs in WebAssembly, which takes about 1.3 times as long. The recognizer of `local`.
RUN apt-get update && apt-get install -y --no-install-recommends libopus0 pocketsphinx pocketsphinx-en-us && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /gateway/node_modules node_modules
COPY --from=dependencies /gateway/build build
COPY package.json LICENSE ./
COPY config config
COPY src src
RUN node config/bundle.cjs
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# HTTP; SIP over UDP and TCP; RTP (publish the range, or run with --network host, which is faster).
EXPOSE 8080/tcp 5060/udp 5060/tcp 20000-29999/udp
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVC_PORT ?? 8080) + '/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=2", "--disable-sigusr1", "src/start.cjs"]
