# Two stages: the first makes what is shipped, the second is a small unprivileged image.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /gateway
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
COPY package.json package-lock.json ./
# The image brings the pinned Node, so the devDependency `node` and all install scripts are skipped.
RUN npm install --no-save --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund --loglevel=error
COPY config config
COPY src src
RUN node src/native/build.ts && node config/bundle.cjs build/gateway
# The packages that the bundle does not contain, without what they bring for other platforms.
RUN node config/shipped-package.cjs > shipped.json && mv shipped.json package.json \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error && node config/prune-binaries.cjs

FROM node:22.23.3-bookworm-slim
# The system's libopus: without it, Opus runs in WebAssembly, which takes about 1.3 times as long. The recognizer of `local`.
# ffmpeg reads the voice notes that are not Opus.
RUN apt-get update && apt-get install -y --no-install-recommends libopus0 pocketsphinx pocketsphinx-en-us ffmpeg && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA_DIR=/data
WORKDIR /gateway
COPY --from=build /gateway/node_modules node_modules
COPY --from=build /gateway/build build
COPY --from=build /gateway/package.json ./
COPY LICENSE src/native/silero.license ./
COPY config/gateway.example.json config/
COPY src/start.cjs src/bundle-dir.cjs src/health.cjs src/
COPY src/audio/*.wasm src/audio/
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# HTTP; SIP over UDP and TCP; RTP (publish the range, or run with --network host, which is faster).
EXPOSE 8080/tcp 5060/udp 5060/tcp 20000-29999/udp
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["node", "src/health.cjs"]
STOPSIGNAL SIGTERM
CMD ["node", "--experimental-async-context-frame", "--max-semi-space-size=2", "--disable-sigusr1", "src/start.cjs"]
