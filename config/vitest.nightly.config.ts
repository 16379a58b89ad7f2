import { again, nightlyProjects, suite } from './test-projects.ts';

/** With Node's HTTP server. */
const NODE_HTTP = { SVC_HTTP_SERVER: 'node' };
/** Without native media I/O, as on a machine without a C compiler. */
const PORTABLE_MEDIA = { SVC_MEDIA_IO: 'portable' };

/** With the audio of call WebSockets on a thread of its own, as on machines with more than two cores. */
const STREAM_THREAD = { SVC_STREAM_THREADS: '1' };

/** `npm run test:nightly`: what `npm test` leaves out, and much of it again in other settings. */
export default suite([
  ...nightlyProjects(),
  again(
    'node-http',
    'slow-unit',
    ['test/unit/api/*', 'test/unit/api/{mcp,stream}/*', 'test/unit/agents/*'],
    NODE_HTTP,
  ),
  again(
    'node-http-e2e',
    'e2e',
    ['test/e2e/{inbox,mcp-clients,mcp-endpoint,route-access,signing-out}.test.ts'],
    NODE_HTTP,
  ),
  again(
    'every-rule',
    'processes',
    [
      'test/conformance/{bridged,discord,discord-calls,loopback-meetings,nctalk,nctalk-calls,slack,teams,telegram,whatsapp}.test.ts',
    ],
    { CONFORMANCE: 'whole' },
  ),
  again('node-http-audio', 'audio', ['test/e2e/{call-stream,clear-and-mark,streaming}.test.ts'], NODE_HTTP),
  again(
    'stream-thread-audio',
    'audio',
    ['test/e2e/{audio-overflow,call-stream,clear-and-mark,hosted-speech,streaming}.test.ts'],
    STREAM_THREAD,
  ),
  again(
    'stream-thread-e2e',
    'e2e',
    ['test/e2e/{call-ends,inbound,route-access,signing-out,unacknowledged}.test.ts'],
    STREAM_THREAD,
  ),
  again(
    'stream-thread-measured',
    'measured',
    ['test/e2e/{recovery,slow-reader,resources}.test.ts'],
    STREAM_THREAD,
  ),
  again('node-http-measured', 'measured', ['test/e2e/{files,slow-reader}.test.ts'], NODE_HTTP),
  again('portable', 'slow-unit', ['test/unit/rtp/**'], PORTABLE_MEDIA),
  again('portable-audio', 'audio', ['test/peers/call-audio.test.ts'], PORTABLE_MEDIA),
  again('portable-measured', 'measured', ['test/e2e/recovery.test.ts'], PORTABLE_MEDIA),
]);
