import { signInsOf } from '../accounts/identities/sign-ins.ts';
import { AgentProbes } from '../accounts/keys/agent-probes.ts';
import type { AgentReplies } from '../accounts/keys/agent-replies.ts';
import type { KeyCache } from '../accounts/keys/key-cache.ts';
import { authenticator } from '../api/auth/authenticator.ts';
import { ClientAddresses } from '../api/auth/client-addresses.ts';
import { resourceMetadataUrl } from '../api/authorization/metadata.ts';
import { dashboardRoutes } from '../api/dashboard/dashboard-routes.ts';
import { IdempotentRequests } from '../api/http/idempotency/idempotent-requests.ts';
import { countConnections, NetworkConnections } from '../api/http/network-connections.ts';
import type { Route } from '../api/http/routing/route.ts';
import { HttpServer } from '../api/http/server.ts';
import { mcpPages } from '../api/mcp/browser-pages.ts';
import { LazyServer } from '../api/mcp/lazy-server.ts';
import { McpCounts } from '../api/mcp/mcp-request.ts';
import { mcpRoutes } from '../api/mcp/mcp-routes.ts';
import { oauthContext } from '../api/rest/oauth.ts';
import { OpenStreams } from '../api/stream/open-streams.ts';
import { inboxStreamRoute, streamRoute, talkRoute } from '../api/stream/stream-routes.ts';
import type { StreamThreads } from '../api/stream-threads/stream-threads.ts';
import type { LibOpus } from '../audio/libopus.ts';
import type { AuthorizationDomain } from '../authorization/authorization-domain.ts';
import { sendProbe } from '../messaging/outbox/send-probe.ts';
import { openLibOpus } from '../rtp/codecs/open-libopus.ts';
import type { DescriptorWatch } from '../telemetry/descriptor-watch.ts';
import { RecentMetrics } from '../telemetry/recent-metrics.ts';
import type { MediaIoChoice } from '../threads/protocol.ts';
import { authorizationContext } from './authorization-deps.ts';
import type { PartDeps } from './gateway-deps.ts';
import type { McpEndpointNeeds } from './mcp-endpoint-deps.ts';
import { type Domains, routes } from './routes.ts';

interface ServerNeeds
  extends Omit<
    Domains,
    'probes' | 'operator' | 'oauth' | 'authorization' | 'readiness' | 'metrics' | 'publicUrl' | 'readingTime'
  > {
  readonly authorization: AuthorizationDomain;
  readonly keys: KeyCache;
  readonly replies: AgentReplies;
  readonly descriptors: DescriptorWatch;
  readonly streamThreads: StreamThreads | null;
  /** Whether all parts run. HTTP listens earlier, for the platforms that are logged in meanwhile. */
  readonly hasStarted: () => boolean;
}

export interface Servers {
  /** Not listening yet. */
  readonly http: HttpServer;
  readonly mcp: LazyServer;
}

/** Creates the HTTP, WebSocket and MCP servers for all domains. */
export function openServers(deps: PartDeps, needs: ServerNeeds): Servers {
  const { settings, clock, loggers, store, wakeups, events, metrics, publicUrl, closers, readingTime } = deps;
  const { calls, inbox, keys, people, authorization, replies, descriptors } = needs;
  const streams = new OpenStreams();
  const idempotency = new IdempotentRequests(store, clock, (error) =>
    events.writeFailed('a cached response', error),
  );
  const mcp = openMcp(deps, { ...needs, idempotency });
  followCredentials(needs, streams, mcp.server);
  const authenticate = authenticator(keys, people.sessions, authorization.grants);
  const probes = new AgentProbes({
    db: store.db,
    clock,
    send: (...probe) => sendProbe({ store, clock, wakeups }, ...probe),
    openStreams: (keyId) => streams.countOf(keyId),
    mcpKeys: () => mcp.server.users(),
    repliedAt: (keyId, probeId) => replies.repliedAt(keyId, probeId),
  });
  const signIns = signInsOf({
    store,
    people,
    providers: settings.oidcProviders,
    onProviderFailed: (provider, error) =>
      loggers.accounts.warn({ provider, err: error }, 'identity provider failed'),
  });
  const oauth = oauthContext(signIns, people, authenticate);
  const feed = {
    reading: inbox,
    wakeups,
    onFailure: (error: unknown) => loggers.http.error({ err: error }, 'inbox stream failed'),
  };
  const recent = new RecentMetrics((name) => metrics.sumOf(name), clock);
  recent.start();
  closers.push(async () => recent.close());
  const rest = routes({
    ...needs,
    operator: {
      db: store.db,
      calls: calls.registry,
      dataDir: settings.dataDir,
      startedAt: clock.nowIso(),
      recent,
      logTail: loggers.tail,
    },
    readingTime,
    publicUrl,
    metrics,
    readiness: [
      { name: 'start', problem: () => (needs.hasStarted() ? null : 'the gateway is still starting') },
      {
        name: 'engine',
        problem: () => (calls.engine.report().workers.length > 0 ? null : 'no engine thread is running'),
      },
      { name: 'calls', problem: () => calls.admission.problem },
      // Exhausted resources stop the gateway from working although all of its parts run.
      { name: 'disk', problem: () => store.disk.problem },
      { name: 'descriptors', problem: () => descriptors.problem },
    ],
    probes,
    oauth,
    authorization: authorizationContext(authorization, people, oauth),
  });
  const addresses = new ClientAddresses(settings.people.trustedProxies);
  const networks = new NetworkConnections({
    most: settings.http.connectionsPerNetwork,
    countFrom: countConnections(() => http.port),
    addresses,
    clock,
    onFull: (address) => events.networkFull(address),
  });
  const http = new HttpServer({
    routes: [...rest, ...mcp.routes, ...dashboardRoutes()],
    sockets: [
      streamRoute({ calls, opus: openOpusOnce(settings.engine.mediaIo) }, authenticate, streams, () =>
        metrics.queueFull('call_streams'),
      ),
      talkRoute(calls, authenticate, streams, () => metrics.queueFull('call_streams')),
      inboxStreamRoute(feed, authenticate, streams, () => metrics.queueFull('inbox_streams')),
    ],
    admitsConnection: (peer) => descriptors.admits() && networks.admits(peer),
    clock,
    time: readingTime,
    authenticate,
    ownOrigin: () => new URL(publicUrl()).origin,
    addresses,
    idempotency,
    assertMayWrite: (accountId) => store.quota.assertMayWrite(accountId),
    bodyLimitBytes: settings.http.bodyLimitBytes,
    library: settings.http.server ?? 'auto',
    threads: needs.streamThreads ?? undefined,
    onFallback: (reason) =>
      loggers.http.warn({ reason }, "uWebSockets.js could not be loaded, using Node's http server instead"),
    onAnswered: (answered) => events.requestAnswered(answered),
    onError: (error, requestId) => loggers.http.error({ err: error, requestId }, 'request failed'),
  });
  metrics.watchHttp(() => http.pressure);
  metrics.watchSocketClosings(() => http.socketClosings);
  metrics.watchNetworkConnections(() => networks.refused);
  return { http, mcp: mcp.server };
}

/** The main thread's libopus, for agents that speak Opus. */
function openOpusOnce(mediaIo: MediaIoChoice): () => LibOpus {
  let opus: LibOpus | null = null;
  return () => {
    opus ??= openLibOpus(mediaIo === 'portable' ? 'portable' : 'native');
    return opus;
  };
}

/**
 * Makes streams, MCP sessions and long-polls follow changes of a credential's agents: streams and sessions continue
 * with the new agents or close, and pending long-polls are ended so that clients ask again.
 */
function followCredentials(
  { keys, people, authorization, inbox }: ServerNeeds,
  streams: OpenStreams,
  mcp: LazyServer,
): void {
  const follow = (credentialId: string, agentIds: readonly string[]): void => {
    streams.follow(credentialId, agentIds);
    inbox.waiters.dismiss(credentialId);
    mcp.follow(credentialId, agentIds);
  };
  keys.watch(follow);
  authorization.grants.watch(follow);
  people.sessions.watch(follow);
}

/** Creates the MCP server and its routes. */
function openMcp(deps: PartDeps, needs: McpEndpointNeeds): { server: LazyServer; routes: Route[] } {
  const { settings, clock, metrics, publicUrl } = deps;
  const counts = new McpCounts();
  const open = async () => (await import('./mcp-endpoint-deps.ts')).openMcpEndpoint(deps, needs, counts);
  const server = new LazyServer(open, clock);
  metrics.watchMcp(() => ({ ...counts, sessions: server.sessionCount }));
  const { allowedOrigins } = settings.mcp;
  const pages = mcpPages({ allowedOrigins, host: settings.http.host, publicUrl });
  const metadataUrl = (path: string): string => resourceMetadataUrl(publicUrl(), path);
  return { server, routes: mcpRoutes(server, { pages, metadataUrl }) };
}
