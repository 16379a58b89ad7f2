/** Which part may import which: src/README.md, "Who may import whom". */
const layer = (name, from, allowed) => ({
  name,
  severity: 'error',
  comment: `${name} may reach only: ${allowed.join(', ') || 'nothing of src'}`,
  from: { path: from },
  to: { path: '^src/', pathNot: [from, ...allowed.map((part) => `^src/${part}\\b`)] },
});

/** Only this part of src may import these packages. */
const only = (name, part, packages) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${part}` },
  to: { path: packages },
});

/** From the top down: each may import those after it. */
const DOMAINS = [
  'inline',
  'messaging',
  'agents',
  'models',
  'authorization',
  'speech',
  'accounts',
  'files',
  'calls',
];
const FLOOR = ['audio', 'telemetry', 'base'];
/** The main thread has the rest of speech. */
const SPEECH_ON_BRIDGES =
  '^src/speech/(?!presets/|providers/|options/|session/|speech-domain|vendors/(\\w+)/\\1\\.)';

/** A rule for each pair of domains. */
const pairsOfDomains = DOMAINS.flatMap((upper, place) =>
  DOMAINS.slice(place + 1).map((lower) => ({
    name: `${lower} does not import ${upper}`,
    severity: 'error',
    comment: `Domains import each other only downward: ${DOMAINS.join(', ')}.`,
    from: { path: `^src/${lower}/` },
    to: { path: `^src/${upper}/` },
  })),
);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '^src/main\\.ts$|\\.d\\.ts$' },
      to: {},
    },
    layer('base', '^src/base/', []),
    layer('native', '^src/native/', []),
    layer('audio', '^src/audio/', ['base']),
    layer('telemetry', '^src/telemetry/', ['base']),
    layer('settings', '^src/settings/', ['base']),
    layer('store', '^src/store/', FLOOR),
    layer('media', '^src/media/', ['base']),
    layer('rings', '^src/rings/', ['media', 'native/waker', ...FLOOR]),
    layer('threads', '^src/threads/', ['rings', 'media', ...FLOOR]),
    layer('jobs', '^src/jobs/(?!jobs\\.worker)', ['jobs/jobs\\.worker', 'base']),
    layer('jobs worker', '^src/jobs/jobs\\.worker', ['speech/local/flite', ...FLOOR]),
    layer('connector contract', '^src/connectors/contract/', ['media', ...FLOOR]),
    layer('kit of connectors', '^src/connectors/kit/', [
      'connectors/contract',
      'media',
      'rtp/rtp-protocol',
      ...FLOOR,
    ]),
    layer('rtp', '^src/rtp/', ['media', 'rings/(packet-ring|doorbell)', 'native', ...FLOOR]),
    layer('webrtc', '^src/webrtc/', ['media', 'rtp/(srtp|rtp-(packet|state|protocol))', ...FLOOR]),
    // The loopback platform is written as connectors are.
    layer(
      'connectors',
      '^(src/connectors/(?!contract/)|test/loopback/(loopback-connector|messages/|connections/|signaling/|media/))',
      [
        'connectors/(contract|kit)',
        'media',
        'native',
        'webrtc',
        'rtp/rtp-(protocol|packet)',
        'rings/(packet|pcm)-port',
        ...FLOOR,
      ],
    ),
    layer('engine', '^src/engine/', ['threads', 'rings', 'media', 'rtp', ...FLOOR]),
    layer('bridge', '^src/bridge/(?!bridge\\.worker)', ['native', 'threads', 'rings', 'media', ...FLOOR]),
    layer('bridge worker', '^src/bridge/bridge\\.worker', [
      'bridge',
      'threads',
      'media',
      'connectors',
      'speech',
      ...FLOOR,
    ]),
    layer('speech on bridge threads', SPEECH_ON_BRIDGES, [
      'native/silero',
      'threads',
      'rings',
      'media',
      'jobs',
      ...FLOOR,
    ]),
    layer('domains', `^src/(${DOMAINS.join('|')})/`, [
      'connectors/contract',
      'native/silero',
      'threads',
      'rings',
      'media',
      'jobs',
      'store',
      ...FLOOR,
    ]),
    ...pairsOfDomains,
    layer('clients of models', '^src/models/', ['telemetry', 'base']),
    {
      name: 'connectors-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/connectors/([^/]+)/' },
      to: { path: '^src/connectors/', pathNot: '^src/connectors/($1|contract|kit)/' },
    },
    layer('dashboard', '^src/dashboard/', ['api/(schema|rest)']),
    layer('reference', '^src/reference/', ['dashboard/(api|parts|style)', 'dashboard/texts']),
    {
      name: 'the dashboard has only types of the gateway',
      severity: 'error',
      comment: 'Its code runs in browsers.',
      from: { path: '^src/dashboard/' },
      to: { path: '^src/(?!dashboard/)', dependencyTypesNot: ['type-only'] },
    },
    layer('mcp shim', '^src/mcp-shim/', []),
    {
      name: 'shim-stands-alone',
      severity: 'error',
      comment: 'The shim is a package of its own that runs on clients’ machines.',
      from: { path: '^src/', pathNot: '^src/mcp-shim/' },
      to: { path: '^src/mcp-shim/' },
    },
    layer('api', '^src/api/(?!stream-threads/)', [
      ...DOMAINS,
      'connectors/contract',
      'threads',
      'store',
      'native/acceptor',
      ...FLOOR,
    ]),
    layer('stream threads', '^src/api/stream-threads/', [
      'api/(http|stream|schema)/',
      'rtp/codecs/open-libopus',
      'threads',
      'rings',
      'native/acceptor',
      ...FLOOR,
    ]),
    {
      name: 'the-fast-path-has-one-entrance',
      severity: 'error',
      comment: 'MCP works the same without it (SVC_MCP_FAST_PATH=off).',
      from: { path: '^src/', pathNot: '^src/api/mcp/fast-path/' },
      to: { path: '^src/api/mcp/fast-path/', pathNot: '/fast-path\\.ts$' },
    },
    only('only-http-knows-uws', 'api/http/uws/', 'node_modules/uWebSockets\\.js|^uWebSockets\\.js$'),
    only(
      'only-connections-know-ws',
      '(api/http/node/|speech/vendor-connection\\.ts|connectors/kit/platform-socket\\.ts)',
      'node_modules/ws/|^ws$',
    ),
    only('only-the-sip-core-knows-sip-js', 'connectors/sip/signaling/core/', 'node_modules/sip\\.js/'),
    only('only-webrtc-knows-werift', 'webrtc/', 'node_modules/werift/'),
    {
      name: 'webrtc-on-bridges-only',
      severity: 'error',
      comment: 'It takes memory and time to load, and its work must not hold the main thread up.',
      from: { path: '^src/(main|engine/engine\\.worker)\\.ts$' },
      to: { path: '^src/webrtc/', reachable: true },
    },
    only('only-store-knows-the-database', 'store/', 'node_modules/(better-sqlite3|kysely)'),
    only(
      'only-threads-knows-threads',
      '(threads/|jobs/|rings/|engine/|bridge/|api/stream-threads/|store/database/checkpoint)',
      '^(node:)?worker_threads$|node_modules/piscina',
    ),
    {
      name: 'worker-closure',
      severity: 'error',
      comment: 'The workers must start fast and never touch HTTP or the database.',
      from: { path: '^(src/(engine/engine|bridge/bridge|jobs/jobs)|test/loopback/bridge)\\.worker\\.ts$' },
      to: {
        path: 'uWebSockets\\.js|better-sqlite3|kysely|node_modules/zod|^src/(api|store)/',
        reachable: true,
      },
    },
    {
      name: 'only-the-root-knows-connectors',
      severity: 'error',
      comment: 'Connectors are reached through the contract; the composition roots put them in place.',
      from: {
        path: '^src/',
        pathNot: '^src/(connectors/|assembly/platforms\\.ts$|bridge/bridge\\.worker\\.ts$)',
      },
      to: { path: '^src/connectors/(?!contract/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
