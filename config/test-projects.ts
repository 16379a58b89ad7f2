import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';
import { SlowTests } from './slow-tests.ts';

/** All test files, relative to the repository. */
export const TEST_FILES: readonly string[] = globSync('test/**/*.test.ts').sort();

/** What belongs to `npm run test:nightly`: it takes long, repeats what others show, or needs much that is big. */
const NIGHTLY = [
  // Kills and broken gateways.
  'test/**/{*-kills,kills,rtms-cuts}.test.ts',
  'test/conformance/*-violations.test.ts',
  'test/e2e/{discord-voice-recovery,loopback-recovery}.test.ts',
  // What conformance shows of one connector, shown of others; fakes on their own, and crossed with another client.
  'test/e2e/{call-ends,fakes,loopback-messages,loopback-platform,platform-bridge-waiters}.test.ts',
  'test/peers/ivr.test.ts',
  // Hundreds of greetings, each synthesized and listened to.
  'test/unit/calls/answers.test.ts',
  'test/unit/bridge/pcm-call.test.ts',
  // Random input.
  'test/**/{fuzz,http-fuzz}.test.ts',
  'test/e2e/agent-rules.test.ts',
  // Each step of a model's turn, killed; each client of MCP in each setting; timers of half a minute.
  'test/e2e/{agent-probe,inline-steps,mcp-clients,unacknowledged}.test.ts',
  // Growth of time with the length of hostile input.
  'test/unit/**/linear-time.test.ts',
  // Millions of steps through rings, threads without memory, and engines of speech that compute.
  'test/unit/rings/ring.test.ts',
  'test/unit/bridge/bridge-pool.test.ts',
  'test/unit/speech/{options-read,recognizer-cuts,local/local-tts}.test.ts',
  'test/unit/messaging/window/window-queue-model.test.ts',
  'test/unit/api/mcp/tool-tokens.test.ts',
  // Load, memory and file descriptors.
  'test/e2e/{files,many-waiters,resources,same-time}.test.ts',
  'test/peers/{gateway-load,gateway-lost-messages,load-generator}.test.ts',
  // Matrices of audio, and speech that is recognized.
  'test/unit/speech/{interruption,many-turns,turn-metrics,vendor-faults}.test.ts',
  'test/unit/fakes/discord-voice/*.test.ts',
  'test/unit/connectors/discord/voice/bad-network.test.ts',
  'test/unit/loopback/loopback-call.test.ts',
  'test/e2e/{audio-overflow,discord-voice-ends,inline-call-steps,many-dial-ins}.test.ts',
  'test/peers/harness.test.ts',
  'test/e2e/{discord-voice-bitrates,model-kind-calls,opus}.test.ts',
  'test/peers/{gateway-during-call,hosted-speech,local-call,local-speech}.test.ts',
  // Bad networks, relays and browsers of WebRTC; its threads are killed in nctalk-kills.
  'test/peers/nctalk-{network,speaking,turn}.test.ts',
  'test/unit/audio/quality/*.test.ts',
  // Demos, benches and browsers.
  'test/e2e/demo.test.ts',
  'test/peers/{browser-consent,browser-dashboard,browser-dashboard-attacks,browser-dashboard-first-call,browser-dashboard-hostile-calls,browser-dashboard-keyboard,browser-dashboard-load,browser-dashboard-looks,browser-dashboard-troubles,browser-pairing,browser-sign-in,demo-talk,mail-links}.test.ts',
  'test/unit/{bench,native-bench}/**/*.test.ts',
  // Vendors' own packages against the fakes, and what is built for production.
  'test/sdks/**/*.test.ts',
  'test/nightly/**/*.test.ts',
];

/** In CI nevertheless: one of each kind that is too dear as a whole. */
const CI_NEVERTHELESS = ['test/e2e/dm-kills.test.ts'];

/** Tests of the whole gateway that kill it, or look at its process. Most others have it in their own process. */
const OWN_PROCESS = [
  'test/e2e/*-kills.test.ts',
  'test/conformance/{loopback-*,sip,*-violations}.test.ts',
  'test/e2e/{discord-tenants,idempotency,inline-steps,leaving-account,log-lines,mcp-shim,operator}.test.ts',
  'test/e2e/{platform-bridge,platform-bridge-waiters,post-dial,stream-threads,telegram-webhook,zoom}.test.ts',
];

/** How test files run together: those of a process, and those at the same time. */
interface Kind {
  /** Name of the vitest project. */
  readonly name: string;
  readonly files: readonly string[];
  /** Groups run one after the other; files of one group at the same time. */
  readonly group: keyof typeof GROUPS;
  /** Whether each file has a process of its own. */
  readonly isolate: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly setupFiles?: readonly string[];
}

/** Tests mostly wait for timers and sockets. The default on two cores would be one file at a time. */
const MAX_WORKERS = 3;
/** Groups in their order, with the number of files at a time. */
const GROUPS = {
  units: { order: 0, workers: MAX_WORKERS },
  sockets: { order: 1, workers: MAX_WORKERS },
  /** Audio judged in real time, with no other tests that compute. */
  audio: { order: 2, workers: 4 },
  wideband: { order: 3, workers: 2 },
  alone: { order: 4, workers: 1 },
} as const;
/** Calls at a time in one file. They mostly wait. */
const CALLS_PER_FILE = 24;

/** Each file is of the first kind that has it. */
const KINDS: readonly Kind[] = [
  { name: 'nightly', files: ['test/nightly/**'], group: 'alone', isolate: true },
  { name: 'sdks', files: ['test/sdks/**'], group: 'units', isolate: true },
  {
    // They measure time, memory or recovery against a limit, or recognize speech.
    name: 'measured',
    files: [
      'test/unit/speech/{interruption,many-turns,stop}.test.ts',
      'test/e2e/demo.test.ts',
      'test/e2e/{discord-voice-recovery,dm-kills,files,many-dial-ins,many-waiters}.test.ts',
      'test/e2e/{recovery,resources,same-time,slow-reader}.test.ts',
      'test/peers/{gateway-load,gateway-lost-messages,load-generator,local-call,local-speech}.test.ts',
    ],
    group: 'alone',
    isolate: true,
  },
  {
    // Many gateways, many calls or agents at 48 kHz, and threads that count as hung when they get no time for two seconds.
    name: 'wideband',
    files: [
      'test/unit/bridge/{packet,pcm}-call.test.ts',
      'test/e2e/{discord-voice-bitrates,model-kind-calls,opus}.test.ts',
      'test/peers/{demo-talk,gateway-during-call,gateway-opus,readme}.test.ts',
    ],
    group: 'wideband',
    isolate: true,
  },
  {
    name: 'audio',
    files: [
      'test/unit/connectors/discord/voice/*.test.ts',
      'test/peers/nctalk-{kills,network,voice}.test.ts',
      'test/unit/fakes/discord-voice/*.test.ts',
      'test/unit/loopback/loopback-call.test.ts',
      'test/unit/rtp/opus-call.test.ts',
      'test/unit/speech/{speech-call,turn-metrics,vendor-faults}.test.ts',
      'test/conformance/discord-calls.test.ts',
      'test/e2e/{audio-overflow,call-stream,clear-and-mark,discord-voice,discord-voice-ends,talk}.test.ts',
      'test/e2e/{hosted-speech,inline-call-steps,inline-calls}.test.ts',
      'test/e2e/{loopback-calls,loopback-recovery,streaming}.test.ts',
      'test/peers/{call-audio,gateway-g722,gateway-trunks,harness,hosted-speech}.test.ts',
    ],
    group: 'audio',
    isolate: true,
  },
  { name: 'processes', files: OWN_PROCESS, group: 'sockets', isolate: true },
  { name: 'e2e', files: ['test/e2e/**'], group: 'sockets', isolate: false, env: { TEST_GATEWAYS: 'inside' } },
  {
    name: 'conformance',
    files: ['test/conformance/**'],
    group: 'sockets',
    isolate: true,
    env: { TEST_GATEWAYS: 'inside' },
  },
  { name: 'peers', files: ['test/peers/**'], group: 'sockets', isolate: true },
  {
    // Unit tests that count what the process has, or leave something in it.
    name: 'isolated-unit',
    files: [
      'test/unit/connectors/sip/signaling/{answered-invites,fuzz,lifecycle}.test.ts',
      'test/unit/bridge/bridge-pool.test.ts',
      'test/unit/engine/{agent-audio,clock,engine,faults}.test.ts',
      'test/unit/rtp/rtp-leg.test.ts',
      'test/unit/jobs/jobs.test.ts',
      'test/unit/rings/{doorbell,ring}.test.ts',
      'test/unit/{gateway-close,memory-reducer}.test.ts',
    ],
    group: 'units',
    isolate: true,
  },
  {
    // Unit tests that take seconds: they start programs or threads, wait for sockets, or compute. `npm run check` skips them.
    name: 'slow-unit',
    files: [
      'test/unit/connectors/sip/signaling/**',
      'test/unit/connectors/{discord,telegram,whatsapp}/*',
      'test/unit/connectors/zoom/rtms*',
      'test/unit/connectors/slack/socket.test.ts',
      'test/unit/audio/{g711,jitter-buffer,opus,resampler}.test.ts',
      'test/unit/files/uploads.test.ts',
      'test/unit/inline/{budgets,faults}.test.ts',
      'test/unit/audio/quality/*',
      'test/unit/{bench,native-bench}/**',
      'test/unit/inline/reply/{any-chunking,html-agreement,linear-time}.test.ts',
      'test/unit/messaging/outbox-kills.test.ts',
      'test/unit/messaging/inbox/{inbox-delta,long-polls}.test.ts',
      'test/unit/messaging/outbox/outbox*',
      'test/unit/messaging/window/window-queue*',
      'test/unit/accounts/connections/kills.test.ts',
      'test/unit/accounts/passwords/{failed-attempts-flood,passwords}.test.ts',
      'test/unit/api/{http-backlog,http-library,linear-time,node-connection}.test.ts',
      'test/unit/api/mcp/{fast-path,stateless,tool-tokens}.test.ts',
      'test/unit/rtp/{media-io,precede}.test.ts',
      'test/unit/speech/{options-read,recognizer-cuts}.test.ts',
      'test/unit/speech/{segments/utterance-segmenter,vad/noise,vad/voice-activity}.test.ts',
      'test/unit/speech/{local/flite,local/local-tts,text/linear-time}.test.ts',
      'test/unit/store/store.test.ts',
      'test/unit/support/slowdown.test.ts',
      'test/unit/rings/packet-ring.test.ts',
      'test/unit/threads/v8-helpers.test.ts',
      'test/unit/{bundle,health,mcp-shim,start}.test.ts',
    ],
    group: 'units',
    isolate: false,
  },
  {
    name: 'unit',
    files: ['test/unit/**'],
    group: 'units',
    isolate: false,
    setupFiles: ['config/vitest.unit-setup.ts'],
  },
];

/** A run of these projects. */
export function suite(projects: TestProjectInlineConfiguration[]): ViteUserConfig {
  return defineConfig({
    test: {
      maxWorkers: MAX_WORKERS,
      reporters: ['default', new SlowTests()],
      expect: { poll: { timeout: 30_000 } },
      // What modules do not import, but tests depend on. With `--changed`, all tests run when one of these has changed.
      forceRerunTriggers: ['**/config/**', '**/package{,-lock}.json', '**/*.{c,cjs,h}'],
      projects,
    },
  });
}

/** The projects of `npm test`: each kind, without the files that only run at night. */
export function ciProjects(): TestProjectInlineConfiguration[] {
  return projectsOf((file) => !isNightly(file));
}

/** The projects of `npm run test:nightly`: each kind, with the files that `npm test` leaves out. */
export function nightlyProjects(): TestProjectInlineConfiguration[] {
  return projectsOf(isNightly);
}

/**
 * Some tests again in another setting. They keep no file from running in its own kind. `like`: the kind that says how
 * they run.
 */
export function again(
  name: string,
  like: string,
  files: readonly string[],
  env: Record<string, string>,
): TestProjectInlineConfiguration {
  const kind = KINDS.find((each) => each.name === like)!;
  return project(
    { ...kind, name, env: { ...kind.env, ...env } },
    TEST_FILES.filter((file) => matchesAny(file, files)),
  );
}

function projectsOf(isIn: (file: string) => boolean): TestProjectInlineConfiguration[] {
  const byKind = Map.groupBy(TEST_FILES.filter(isIn), kindOf);
  return KINDS.flatMap((kind) => {
    const files = byKind.get(kind);
    return files === undefined ? [] : [project(kind, files)];
  });
}

function kindOf(file: string): Kind {
  const kind = KINDS.find(({ files }) => matchesAny(file, files));
  if (kind === undefined) throw new Error(`${file} is of no kind: see KINDS in config/test-projects.ts`);
  return kind;
}

function project(
  { name, group, isolate, env, setupFiles = [] }: Kind,
  include: readonly string[],
): TestProjectInlineConfiguration {
  const { order, workers } = GROUPS[group];
  return {
    test: {
      name,
      include: [...include],
      isolate,
      env: { ...env },
      setupFiles: ['config/vitest.setup.ts', ...setupFiles],
      maxWorkers: workers,
      maxConcurrency: CALLS_PER_FILE,
      sequence: { groupOrder: order },
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
}

function isNightly(file: string): boolean {
  return matchesAny(file, NIGHTLY) && !matchesAny(file, CI_NEVERTHELESS);
}

function matchesAny(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(file, pattern));
}
