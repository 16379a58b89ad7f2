import { defineConfig } from 'vitest/config';

/** Units that take seconds, because they wait for real timers or for another process: `npm run check` does without. */
const SLOW_UNITS = [
  'test/unit/connectors/sip/signaling/**/*.test.ts',
  'test/unit/connectors/{telegram,whatsapp}/*.test.ts',
  'test/unit/engine/{engine,agent-audio}.test.ts',
  'test/unit/messaging/outbox-kills.test.ts',
];

/** What a server library has a part in, to be run over both: `SVC_HTTP_SERVER`. */
const HTTP_UNITS = [
  'test/unit/api/*.test.ts',
  'test/unit/api/{mcp,stream}/*.test.ts',
  'test/unit/agents/*.test.ts',
];
const HTTP_E2E = [
  'test/e2e/{call-stream,clear-and-mark,files,inbox,mcp-clients,mcp-endpoint}.test.ts',
  'test/e2e/{route-access,signing-out,slow-reader,streaming}.test.ts',
];

/**
 * Units, quick and slow; the gateway over real sockets; the gateway against real peers; the media without native parts;
 * HTTP and WebSockets over Node's own server.
 */
export default defineConfig({
  test: {
    // Units wait for timers and sockets more than they compute; the default on two cores would be one at a time.
    maxWorkers: 3,
    setupFiles: ['config/vitest.setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: SLOW_UNITS,
          testTimeout: 20_000,
        },
      },
      { test: { name: 'slow-unit', include: SLOW_UNITS, testTimeout: 20_000 } },
      {
        // The same media over Node's own sockets, which a machine without a C compiler has.
        test: {
          name: 'portable',
          env: { SVC_MEDIA_IO: 'portable' },
          include: [
            'test/unit/connectors/sip/media/**/*.test.ts',
            'test/e2e/recovery.test.ts',
            'test/peers/call-audio.test.ts',
          ],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'node-http',
          env: { SVC_HTTP_SERVER: 'node' },
          include: HTTP_UNITS,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'node-http-e2e',
          env: { SVC_HTTP_SERVER: 'node' },
          include: HTTP_E2E,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'peers',
          include: ['test/peers/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
