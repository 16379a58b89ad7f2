import { defineConfig } from 'vitest/config';

/** Tests mostly wait for timers and sockets. The default on two cores would be one file at a time. */
const MAX_WORKERS = 3;

/** Unit tests that take seconds or need their own process. `npm run check` skips them. */
const SLOW_UNITS = [
  'test/unit/connectors/sip/signaling/**/*.test.ts',
  'test/unit/connectors/{discord,telegram,whatsapp}/*.test.ts',
  'test/unit/audio/quality/*.test.ts',
  'test/unit/bridge/bridge-pool.test.ts',
  'test/unit/engine/{agent-audio,clock,engine,faults}.test.ts',
  'test/unit/inline/reply/{any-chunking,html-agreement,linear-time}.test.ts',
  'test/unit/messaging/outbox-kills.test.ts',
  'test/unit/messaging/inbox/long-polls.test.ts',
  'test/unit/messaging/outbox/outbox*.test.ts',
  'test/unit/messaging/window/window-queue*.test.ts',
  'test/unit/accounts/connections/kills.test.ts',
  'test/unit/accounts/people/{owners,people}.test.ts',
  'test/unit/accounts/passwords/passwords.test.ts',
  'test/unit/api/{http-backlog,http-library,linear-time}.test.ts',
  'test/unit/api/mcp/{fast-path,stateless}.test.ts',
  'test/unit/authorization/clients.test.ts',
  'test/unit/bench/demo-findings.test.ts',
  'test/unit/speech/local/local-tts.test.ts',
  'test/unit/speech/recognizer-cuts.test.ts',
  'test/unit/store/store.test.ts',
  'test/unit/threads/{jobs,ring}.test.ts',
  'test/unit/{bundle,gateway-close,mcp-shim,memory-reducer}.test.ts',
];

/** Tests of everything that depends on the HTTP library. They run over both libraries. */
const HTTP_UNITS = [
  'test/unit/api/*.test.ts',
  'test/unit/api/{mcp,stream}/*.test.ts',
  'test/unit/agents/*.test.ts',
];
/** Those of them that start no server. */
const WITHOUT_SERVER = [
  'test/unit/api/{cookie,form-parts,json-with-bytes,linear-time,path-table,since-query}.test.ts',
  'test/unit/agents/agent-rules.test.ts',
];

/** Tests that start gateways and mostly wait: several files at a time. */
const SOCKETS_OVER_NODE = ['test/e2e/{inbox,mcp-clients,mcp-endpoint,route-access,signing-out}.test.ts'];

/** Tests that judge audio in real time: several at a time, with no other tests that compute. */
const AUDIO_UNITS = [
  'test/unit/bridge/{packet,pcm}-call.test.ts',
  'test/unit/connectors/discord/voice/*.test.ts',
  'test/unit/fakes/discord-voice/*.test.ts',
  'test/unit/loopback/loopback-call.test.ts',
  'test/unit/speech/{speech-call,vendor-faults}.test.ts',
];
const AUDIO = [
  ...AUDIO_UNITS,
  'test/conformance/discord-calls.test.ts',
  'test/e2e/{audio-overflow,call-stream,clear-and-mark,discord-voice,discord-voice-ends}.test.ts',
  'test/e2e/{hosted-speech,inline-call-steps,inline-calls}.test.ts',
  'test/e2e/{loopback-calls,loopback-recovery,streaming}.test.ts',
  'test/peers/{call-audio,harness,hosted-speech}.test.ts',
];
const AUDIO_OVER_NODE = ['test/e2e/{call-stream,clear-and-mark,streaming}.test.ts'];

/** Calls at a time in one file. They mostly wait. */
const CALLS_PER_FILE = 24;

/** Audio tests that compute more, because they have many gateways, many calls or agents at 48 kHz: two at a time. */
const WIDEBAND = [
  'test/e2e/{discord-voice-bitrates,model-kind-calls,opus}.test.ts',
  'test/peers/{demo-talk,gateway-during-call,gateway-opus}.test.ts',
];

/** Tests that run alone: those that measure time, memory or recovery against a limit, or recognize speech. */
const MEASURED_UNITS = ['test/unit/speech/{interruption,stop}.test.ts'];
const MEASURED = [
  ...MEASURED_UNITS,
  'test/e2e/{discord-voice-recovery,dm-kills,files,many-waiters,recovery,resources,same-time,slow-reader}.test.ts',
  'test/peers/{gateway-load,gateway-lost-messages,load-generator,local-call,local-speech}.test.ts',
];

const PORTABLE_MEDIA = { SVC_MEDIA_IO: 'portable' };
const NODE_HTTP = { SVC_HTTP_SERVER: 'node' };

/** Projects of one group run together, one group after the other, with so many files at a time. */
const GROUPS = { units: 0, sockets: 1, audio: 2, wideband: 3, measured: 4 } as const;
const WORKERS = { sockets: MAX_WORKERS, audio: 4, wideband: 2, measured: 1 };

interface Files {
  readonly include: string[];
  readonly exclude?: string[];
  readonly env?: Record<string, string>;
}

/** Unit tests share a process unless `isolate` is set. */
function units(name: string, { isolate = false, ...files }: Files & { readonly isolate?: boolean }) {
  const sequence = { groupOrder: GROUPS.units };
  return { test: { name, ...files, isolate, sequence, testTimeout: 120_000, hookTimeout: 120_000 } };
}

function gateways(name: string, group: keyof typeof WORKERS, files: Files) {
  const sequence = { groupOrder: GROUPS[group] };
  const maxWorkers = WORKERS[group];
  const maxConcurrency = CALLS_PER_FILE;
  return {
    test: {
      name,
      ...files,
      maxWorkers,
      maxConcurrency,
      sequence,
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
}

/**
 * Fast and slow unit tests; the gateway over real sockets and against real peers; some of each again with Node's HTTP
 * server (`node-…`), and without native media I/O, as on a machine without a C compiler (`portable-…`).
 */
export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    setupFiles: ['config/vitest.setup.ts'],
    expect: { poll: { timeout: 30_000 } },
    projects: [
      units('unit', {
        include: ['test/unit/**/*.test.ts'],
        exclude: [...SLOW_UNITS, ...AUDIO_UNITS, ...MEASURED_UNITS],
      }),
      units('slow-unit', { include: SLOW_UNITS, isolate: true }),
      units('node-http', { include: HTTP_UNITS, exclude: WITHOUT_SERVER, env: NODE_HTTP }),
      units('portable', {
        include: ['test/unit/rtp/**/*.test.ts'],
        env: PORTABLE_MEDIA,
      }),
      gateways('e2e', 'sockets', {
        include: ['test/e2e/**/*.test.ts'],
        exclude: [...AUDIO, ...WIDEBAND, ...MEASURED],
      }),
      gateways('conformance', 'sockets', { include: ['test/conformance/**/*.test.ts'], exclude: AUDIO }),
      gateways('peers', 'sockets', {
        include: ['test/peers/**/*.test.ts'],
        exclude: [...AUDIO, ...WIDEBAND, ...MEASURED],
      }),
      gateways('node-http-e2e', 'sockets', { include: SOCKETS_OVER_NODE, env: NODE_HTTP }),
      gateways('audio', 'audio', { include: AUDIO }),
      gateways('node-http-audio', 'audio', { include: AUDIO_OVER_NODE, env: NODE_HTTP }),
      gateways('portable-audio', 'audio', {
        include: ['test/peers/call-audio.test.ts'],
        env: PORTABLE_MEDIA,
      }),
      gateways('wideband', 'wideband', { include: WIDEBAND }),
      gateways('measured', 'measured', { include: MEASURED }),
      gateways('node-http-measured', 'measured', {
        include: ['test/e2e/{files,slow-reader}.test.ts'],
        env: NODE_HTTP,
      }),
      gateways('portable-measured', 'measured', {
        include: ['test/e2e/recovery.test.ts'],
        env: PORTABLE_MEDIA,
      }),
    ],
  },
});
