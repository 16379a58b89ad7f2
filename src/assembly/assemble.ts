import { TrunkChanges, VendorQuota } from '../accounts/account/account-quotas.ts';
import { closeConnections, openConnections } from '../accounts/connections/connections.ts';
import { handOverConnections } from '../accounts/connections/hand-over.ts';
import { AgentReplies } from '../accounts/keys/agent-replies.ts';
import { KeyCache } from '../accounts/keys/key-cache.ts';
import { logInBots } from '../accounts/logins/hosted-bots.ts';
import { loadSipAccounts } from '../accounts/logins/sip-accounts.ts';
import { ensureOperator } from '../accounts/people/first-start.ts';
import { getInternalBearer } from '../agents/internal-bearer.ts';
import { disconnectAll, hangUpAgent } from '../calls/hang-up-call.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import { Wakeups } from '../messaging/inbox/wakeups.ts';
import { awaitReplies } from '../messaging/intake/await-reply.ts';
import { closeOutbound } from '../messaging/outbox/open-outbound.ts';
import { listeningUrl } from '../settings/settings.ts';
import { Retention } from '../store/messages/retention.ts';
import { unauthenticatedActor } from '../store/people/audit-log.ts';
import { BusinessEvents } from '../telemetry/business-events.ts';
import { DescriptorWatch } from '../telemetry/descriptor-watch.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { authorizationDomain, openGrants } from './authorization-deps.ts';
import { bridgeContext } from './bridge-deps.ts';
import { openCalls } from './call-deps.ts';
import { connectionDeps } from './connection-deps.ts';
import { openFileStorage } from './file-deps.ts';
import type { GatewayDeps, PartDeps, Running } from './gateway-deps.ts';
import { openInline } from './inline-deps.ts';
import { openMessaging } from './messaging-deps.ts';
import { openPeople } from './people-deps.ts';
import { makePlatforms, type PlatformSubstitutes } from './platforms.ts';
import { openServers } from './servers.ts';

/** Creates the domains, the platforms and the servers, then starts them. Closing runs in reverse order. */
export async function assemble(given: GatewayDeps, substitutes: PlatformSubstitutes = {}): Promise<Running> {
  const { settings, clock, loggers, store, closers } = given;
  const { host, port } = settings.http;
  const publicUrl = (): string => settings.http.publicUrl ?? listeningUrl(host, http.port);
  const metrics = new Metrics();
  const events = new BusinessEvents(loggers, metrics, clock);
  const deps: PartDeps = { ...given, metrics, events, wakeups: new Wakeups(), publicUrl };
  const keys = await KeyCache.load(store.db, clock, (error) =>
    events.writeFailed('the last use of a key', error),
  );
  const retention = new Retention(store.db, clock, { messagesMs: settings.messaging.keptMs }, (error) =>
    events.writeFailed('expired records', error),
  );
  closers.push(() => retention.close());
  const descriptors = watchResources(deps);

  const { connectors: list, trunks, bridged } = makePlatforms(deps, substitutes);
  const connectors = new Map(list.map((connector) => [connector.platform, connector]));
  const { files, sweeper } = await openFileStorage(deps, connectors);
  const calls = await openCalls(deps, connectors, files);
  // Before any connector starts, which may ask for tokens. Closes after all of them.
  const connections = openConnections(connectionDeps(deps, calls));
  closers.push((deadlineMs) => closeConnections(connections, deadlineMs));
  // Platforms that only have calls start before the first request and close after the last one.
  const messengers = list.filter(needsHttp);
  for (const connector of list.filter((each) => !needsHttp(each))) {
    closers.push((deadlineMs) => connector.close(deadlineMs));
    await connector.start();
  }
  const sipAccounts = { store, directory: trunks, clock };
  await loadSipAccounts(sipAccounts);

  const grants = await openGrants(deps);
  const accounts = { ...sipAccounts, traits: settings.traits, calls, connections };
  const people = await openPeople(deps, { keys, grants, accounts });
  const { roster } = people;
  const endCalls = (accountId: string, agentId: string): void => hangUpAgent(calls, accountId, agentId);
  const authorization = authorizationDomain(deps, { grants, people, files, accounts });
  const replies = new AgentReplies(clock);
  const messaging = await openMessaging(deps, { calls, files, roster, replies });
  const { outbound, inbox, intakes } = messaging;
  const quota = new VendorQuota(clock);
  const { runner, deliveries, browsing, mayConnect } = openInline(deps, {
    calls,
    inbox,
    outbound,
    quota,
    bearerOf: async (accountId, agentId) =>
      (await getInternalBearer(agents, unauthenticatedActor(accountId), agentId)).key,
  });
  const agents = { ...sipAccounts, keys, roster, grants, endCalls, models: runner, mayConnect };
  const trunkChanges = new TrunkChanges(clock);
  const { http, mcp } = openServers(deps, {
    calls,
    accounts,
    sip: { ...sipAccounts, trunkChanges, maxNumbers: settings.sip.numbersPerAccount },
    speech: { store, clock, urls: settings.speechUrls, quota },
    agents,
    deliveries,
    browsing,
    files,
    inbox,
    outbound,
    people,
    authorization,
    keys,
    replies,
    descriptors,
    platformBridge: bridgeContext(deps, { intakes, messengers: outbound.messengers, carried: bridged }),
  });
  // Closes after everything that still has messages to send.
  for (const messenger of messengers) closers.push((deadlineMs) => messenger.close(deadlineMs));
  closers.push((deadlineMs) => http.close(deadlineMs));
  // Run before HTTP closes, which would wait for them.
  closers.push(async () => mcp.close());
  closers.push(async () => inbox.waiters.close());
  closers.push(async () => deliveries.waits.close());
  // Runs before HTTP closes, which would wait for messages being sent. Takes half of the time, so that HTTP has some
  // left.
  closers.push((deadlineMs) => closeOutbound(outbound, deadlineMs / 2));
  // Runs before messages can no longer be sent.
  closers.push((deadlineMs) => runner.close(deadlineMs / 2));
  // Runs before HTTP closes, so that agents still receive the final events of their calls.
  closers.push((deadlineMs) => disconnectAll(calls, deadlineMs));

  await awaitReplies(outbound);
  await http.listen(host, port);
  for (const messenger of messengers) await messenger.start();
  await logInBots(accounts);
  await handOverConnections(connections);
  messaging.start();
  await runner.start();
  // Created last: keys from a start that failed later would never have been shown.
  const operatorKeys = await ensureOperator(store.db, settings.bootstrap, clock.nowIso());
  await keys.reload();
  retention.start();
  sweeper.start();
  return {
    publicUrl: publicUrl(),
    sipPort: trunks.port ?? settings.sip.port,
    sipTlsPort: trunks.tlsPort,
    operatorKeys,
  };
}

/** Whether a platform exchanges messages or receives webhooks, and therefore starts once HTTP listens. */
function needsHttp({ provides }: Connector): boolean {
  return provides.messenger !== undefined || provides.webhooks !== undefined;
}

/** Starts watching resources that the machine may run out of: disk space and file descriptors. */
function watchResources({ store: { disk }, closers, events, metrics }: PartDeps): DescriptorWatch {
  const descriptors = new DescriptorWatch();
  disk.watch((problem) => events.diskChanged(problem));
  descriptors.watch((problem) => events.descriptorsChanged(problem));
  metrics.watchQueue('svc_disk_full', '1 while the disk is full', () => (disk.problem ? 1 : 0));
  metrics.watchRefusedConnections(() => descriptors.refused);
  closers.push(async () => descriptors.close());
  return descriptors;
}
