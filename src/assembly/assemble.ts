import { join } from 'node:path';
import type { AccountDomain } from '../accounts/account/account-domain.ts';
import { TrunkChanges, VendorQuota } from '../accounts/account/account-quotas.ts';
import { AgentRoster } from '../accounts/account/agent-roster.ts';
import { CrowdedAccounts } from '../accounts/account/crowded-accounts.ts';
import { finishDeletions } from '../accounts/account/delete-account.ts';
import type { ConnectionDeps } from '../accounts/connections/connection-deps.ts';
import {
  closeConnections,
  handOverConnections,
  openConnections,
} from '../accounts/connections/connections.ts';
import { listInstalledBots } from '../accounts/connections/installed-bots.ts';
import { AgentReplies } from '../accounts/keys/agent-replies.ts';
import { BridgeKey } from '../accounts/keys/bridge-key.ts';
import { KeyCache } from '../accounts/keys/key-cache.ts';
import { endLogins } from '../accounts/logins/end-logins.ts';
import { logInBots } from '../accounts/logins/hosted-bots.ts';
import { offeredTraits } from '../accounts/logins/offered-traits.ts';
import { loadSipAccounts } from '../accounts/logins/sip-accounts.ts';
import { Mailer } from '../accounts/mail/mailer.ts';
import { OutboxFolder } from '../accounts/mail/outbox-folder.ts';
import { SmtpTransport } from '../accounts/mail/smtp-transport.ts';
import { AttemptLimits } from '../accounts/passwords/attempt-limits.ts';
import { FailedAttempts } from '../accounts/passwords/failed-attempts.ts';
import { GuessLimits } from '../accounts/passwords/guess-limits.ts';
import { newHashingShares } from '../accounts/passwords/hashing-shares.ts';
import { argon2id } from '../accounts/passwords/passwords.ts';
import { ensureOperator } from '../accounts/people/first-start.ts';
import { OperatorSetup } from '../accounts/people/operator-setup.ts';
import type { People } from '../accounts/people/people.ts';
import { SessionCache } from '../accounts/sessions/session-cache.ts';
import { getInternalBearer } from '../agents/internal-bearer.ts';
import type { BridgeContext } from '../api/rest/platform-bridge.ts';
import type { GrantCache } from '../authorization/grant-cache.ts';
import { FairShare } from '../base/fair-share.ts';
import { Places } from '../base/places.ts';
import type { Platform } from '../base/platform.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import { disconnectAll, hangUpAgent, hangUpLogin } from '../calls/hang-up-call.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { FileDomain } from '../files/file-domain.ts';
import { FileSweeper } from '../files/file-sweeper.ts';
import { openFiles } from '../files/open-files.ts';
import { Wakeups } from '../messaging/inbox/wakeups.ts';
import { awaitReplies } from '../messaging/intake/await-reply.ts';
import { closeOutbound } from '../messaging/outbox/open-outbound.ts';
import type { PlatformBridge } from '../messaging/platform-bridge/platform-bridge.ts';
import { listeningUrl } from '../settings/settings.ts';
import { newLocalShares } from '../speech/session/local-shares.ts';
import { Retention } from '../store/messages/retention.ts';
import { unauthenticatedActor } from '../store/people/audit-log.ts';
import { BusinessEvents } from '../telemetry/business-events.ts';
import { DescriptorWatch } from '../telemetry/descriptor-watch.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { authorizationDomain, openGrants } from './authorization-deps.ts';
import { openBudgets } from './budget-deps.ts';
import { openCalls } from './call-deps.ts';
import type { GatewayDeps, PartDeps, Running } from './gateway-deps.ts';
import { openInline } from './inline-deps.ts';
import { leavingDomain } from './leaving-deps.ts';
import { openMessaging } from './messaging-deps.ts';
import { makePlatforms, type PlatformSubstitutes } from './platforms.ts';
import { openServers } from './servers.ts';
import { openStreamThreads } from './stream-threads-deps.ts';

/** Creates the domains, the platforms and the servers, then starts them. Closing runs in reverse order. */
export async function assemble(given: GatewayDeps, substitutes: PlatformSubstitutes = {}): Promise<Running> {
  const { settings, clock, loggers, store, closers } = given;
  const { host, port } = settings.http;
  const publicUrl = (): string => settings.http.publicUrl ?? listeningUrl(host, http.port);
  const metrics = new Metrics();
  const events = new BusinessEvents(loggers, metrics, clock);
  metrics.watchShare('reading_time', given.readingTime.share);
  const deps: PartDeps = { ...given, metrics, events, wakeups: new Wakeups(), publicUrl };
  const keys = await KeyCache.load(store.db, clock, (error) =>
    events.writeFailed('the last use of a key', error),
  );
  const keptFor = { messagesMs: settings.messaging.keptMs, callsMs: settings.callsKeptMs };
  const retention = new Retention(store.db, clock, keptFor, (error) =>
    events.writeFailed('expired records', error),
  );
  closers.push(() => retention.close());
  const descriptors = watchResources(deps);

  const { connectors: list, trunks, bridged } = makePlatforms(deps, substitutes);
  const connectors = new Map(list.map((connector) => [connector.platform, connector]));
  const { files, sweeper } = await openFileStorage(deps, connectors);
  const budgets = await openBudgets(deps, () => people.mailer);
  const local = newLocalShares(clock);
  metrics.watchShare('local_recognizers', local.recognition);
  metrics.watchShare('local_voices', local.synthesis);
  const streamThreads = openStreamThreads(deps);
  const calls = await openCalls(deps, { connectors, files, budgets, local, streamThreads });
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
  const traits = offeredTraits(settings.traits, connectors);
  const accounts = { ...sipAccounts, traits, calls, connections, budgets };
  const people = await openPeople(deps, { keys, grants, accounts });
  const { roster } = people;
  const crowded = crowdedAccounts(deps, people.mailer);
  const operatorSetup = new OperatorSetup(people);
  const endCalls = (accountId: string, agentId: string): void => hangUpAgent(calls, accountId, agentId);
  const authorization = authorizationDomain(deps, { grants, people, files, accounts });
  const replies = new AgentReplies(clock);
  const messaging = await openMessaging(deps, { calls, files, roster, replies, local });
  const { outbound, inbox, intakes } = messaging;
  const quota = new VendorQuota(clock);
  const { runner, deliveries, browsing, mayConnect } = openInline(deps, {
    calls,
    inbox,
    outbound,
    quota,
    budgets,
    bearerOf: async (accountId, agentId) =>
      (await getInternalBearer(agents, unauthenticatedActor(accountId), agentId)).key,
  });
  const agents = { ...sipAccounts, keys, roster, grants, budgets, endCalls, models: runner, mayConnect };
  const leaving = leavingDomain({ accounts, people, keys, grants, files, models: runner });
  await finishDeletions(leaving);
  const trunkChanges = new TrunkChanges(clock);
  let hasStarted = false;
  const { http, mcp } = openServers(deps, {
    calls,
    accounts,
    leaving,
    sip: { ...sipAccounts, trunkChanges, maxNumbers: settings.sip.numbersPerAccount },
    speech: { store, clock, urls: settings.speechUrls, quota },
    agents,
    deliveries,
    browsing,
    files,
    inbox,
    outbound,
    people,
    operatorSetup,
    authorization,
    keys,
    replies,
    descriptors,
    streamThreads,
    hasStarted: () => hasStarted,
    platformBridge: {
      ...bridgeContext(deps, { intakes, messengers: outbound.messengers, carried: bridged }),
      listBots: () => listInstalledBots(connections),
    },
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
  await messaging.start();
  await runner.start();
  // Created last: keys from a start that failed later would never have been shown.
  const operatorKeys = await ensureOperator(store.db, settings.bootstrap, clock.nowIso());
  await keys.reload();
  retention.start();
  crowded.start();
  sweeper.start();
  const setupToken = await operatorSetup.open();
  hasStarted = true;
  return {
    publicUrl: publicUrl(),
    sipPort: trunks.port ?? settings.sip.port,
    sipTlsPort: trunks.tlsPort,
    operatorKeys,
    setupToken,
  };
}

/** Whether a platform exchanges messages or receives webhooks, and therefore starts once HTTP listens. */
function needsHttp({ provides }: Connector): boolean {
  return provides.messenger !== undefined || provides.webhooks !== undefined;
}

/** Creates what looks after the accounts that store as much as they may. */
function crowdedAccounts(
  { store, clock, closers, events, metrics }: PartDeps,
  mailer: Mailer,
): CrowdedAccounts {
  metrics.watchRefusedWrites(() => store.quota.refused);
  const crowded = new CrowdedAccounts({
    store,
    clock,
    mailer,
    onFull: (accountId, bytes) => events.accountFull(accountId, bytes),
    onFailure: (error) => events.writeFailed('what full accounts store', error),
  });
  closers.push(() => crowded.close());
  return crowded;
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

/** Returns the dependencies of the accounts' connections to platforms. */
function connectionDeps(
  { store, clock, publicUrl, wakeups, loggers }: PartDeps,
  calls: CallDomain,
): ConnectionDeps {
  return {
    store,
    clock,
    connectors: calls.connectors,
    publicUrl,
    wake: (accountId) => wakeups.wake(accountId),
    endCalls: (accountId, id, reason) => hangUpLogin(calls, accountId, { kind: 'connection', id }, reason),
    onFailure: (platform, what, reason) => loggers.accounts.warn({ platform, reason }, what),
  };
}

/** Creates the file domain and the sweeper that deletes old files once it is started. */
async function openFileStorage(
  { settings, clock, store, closers, metrics, events, readingTime, publicUrl }: PartDeps,
  connectors: ReadonlyMap<Platform, Connector>,
): Promise<{ readonly files: FileDomain; readonly sweeper: FileSweeper }> {
  const { maxBytes, fetchAllow: trusted, ...limits } = settings.files;
  const files = await openFiles(
    { dir: join(settings.dataDir, 'files'), limits, trusted },
    {
      store,
      clock,
      readingTime,
      maxBytes,
      publicUrl,
      fetcher: (platform) => connectors.get(platform)?.provides.messenger?.files,
      count: (event) => metrics.fileEvent(event),
    },
  );
  metrics.watchShare('transfers', files.transfers.share);
  metrics.watchFileBytes(() => files.ledger.totalBytes);
  const sweeper = new FileSweeper(files, (error) => events.writeFailed('expired files', error));
  closers.push(() => sweeper.close());
  return { files, sweeper };
}

/** Limit of requests that wait for a reply; one account has half. */
const MAX_WAITS = 500;
/** Limit of batches of events under way. */
const MAX_BATCHES = 16;

/** Returns what the endpoints of the platform bridge use. */
function bridgeContext(
  deps: PartDeps,
  platforms: Pick<PlatformBridge, 'intakes' | 'messengers' | 'carried'>,
): Omit<BridgeContext, 'listBots'> {
  const { settings, store, clock, metrics } = deps;
  const bridge = {
    ...platforms,
    db: store.db,
    clock,
    traits: settings.traits,
    waits: new FairShare({ clock, total: MAX_WAITS, each: MAX_WAITS, keepsRoom: true, mostWaiting: 0 }),
    batches: batchPlaces(),
  };
  metrics.watchQueue(
    'svc_bridge_requests_waiting',
    'Requests of the platform bridge that wait for a reply',
    () => bridge.waits.taken,
  );
  metrics.watchShare('bridge_waits', bridge.waits);
  return { bridge, key: bridgeKey(deps) };
}

function batchPlaces(): Places {
  const limits = { perKey: MAX_BATCHES, perAccount: MAX_BATCHES, total: MAX_BATCHES };
  return new Places({ code: 'too_many_waiters', what: 'requests with events may be under way', ...limits });
}

function bridgeKey({ settings, store: { db }, clock, events }: PartDeps): BridgeKey {
  const onFailure = (error: unknown) => events.writeFailed('uses of the bridge key', error);
  return new BridgeKey({
    db,
    clock,
    key: settings.bridge.key,
    limits: new AttemptLimits(clock, settings.people.loginAttempts),
    failures: new FailedAttempts({
      action: 'bridge_key.fail',
      db,
      clock,
      failed: onFailure,
      dropped: () => events.queueFull('failed_passwords'),
    }),
    onFailure,
  });
}

interface PeopleNeeds {
  readonly keys: KeyCache;
  readonly grants: GrantCache;
  readonly accounts: AccountDomain;
}

/** Creates the dependencies for people, their sessions and their mails. */
async function openPeople(
  { settings, clock, store: { db }, closers, metrics, events, publicUrl }: PartDeps,
  { keys, grants, accounts }: PeopleNeeds,
): Promise<People> {
  const { signup: mode, signupCode: code, loginAttempts } = settings.people;
  const transport = settings.mail
    ? new SmtpTransport(settings.mail.smtpUrl, settings.mail.from)
    : new OutboxFolder(join(settings.dataDir, 'outbox'), () => clock.nowIso(), events);
  const mailer = new Mailer(transport, clock, events);
  // Takes half of the time, so that a mail server that does not respond leaves time for the parts that close later.
  closers.push((deadlineMs) => mailer.close(deadlineMs / 2));
  const roster = await AgentRoster.load(db);
  const limits = new AttemptLimits(clock, loginAttempts);
  const hashing = newHashingShares(clock);
  metrics.watchShare('password_hashing', hashing.strangers);
  metrics.watchShare('password_hashing_known', hashing.people);
  metrics.watchShare('mails', mailer.turns);
  return {
    db,
    clock,
    roster,
    sessions: await SessionCache.load(db, clock, roster, (error) =>
      events.writeFailed('the last use of a session', error),
    ),
    mailer,
    limits,
    hasher: argon2id(hashing),
    guesses: new GuessLimits(clock, loginAttempts, limits),
    failedPasswords: new FailedAttempts({
      action: 'password.fail',
      db,
      clock,
      failed: (error) => events.writeFailed('failed password attempts', error),
      dropped: () => events.queueFull('failed_passwords'),
    }),
    signup: { mode, code },
    publicUrl,
    followAccess: async (accountId, gone) => {
      await keys.refresh(accountId);
      await grants.refresh(accountId);
      if (gone !== null) await endLogins(accounts, accountId, gone);
    },
  };
}
