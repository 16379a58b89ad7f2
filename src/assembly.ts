import { join } from 'node:path';
import type { AccountDomain } from './accounts/account-domain.ts';
import { AgentProbes } from './accounts/agent-probes.ts';
import { AgentReplies } from './accounts/agent-replies.ts';
import { AttemptLimits } from './accounts/attempt-limits.ts';
import { checkPassword } from './accounts/change-password.ts';
import type { LeavingDomain } from './accounts/delete-account.ts';
import { ensureOperator, type OperatorKeys } from './accounts/first-start.ts';
import { logInBots } from './accounts/hosted-bots.ts';
import { KeyRing } from './accounts/key-ring.ts';
import { Mailer } from './accounts/mailer.ts';
import { OutboxFolder } from './accounts/outbox-folder.ts';
import type { People } from './accounts/people.ts';
import { hasLogin } from './accounts/platform-status.ts';
import { SessionRing } from './accounts/session-ring.ts';
import { signInsOf } from './accounts/sign-ins.ts';
import { loadSipAccounts, type SipAccounts } from './accounts/sip-accounts.ts';
import { SmtpTransport } from './accounts/smtp-transport.ts';
import type { AgentDomain } from './agents/agent-domain.ts';
import { AgentRoster } from './agents/agent-roster.ts';
import { authenticator } from './api/auth/authenticator.ts';
import { ClientAddresses } from './api/auth/client-addresses.ts';
import { IdempotentRequests } from './api/http/idempotent-requests.ts';
import type { Route } from './api/http/route.ts';
import { HttpServer } from './api/http/server.ts';
import { accountRoutes } from './api/rest/account.ts';
import { accountDeletionRoutes } from './api/rest/account-deletion.ts';
import { deliveryRoutes } from './api/rest/agent-deliveries.ts';
import { agentMemberRoutes } from './api/rest/agent-members.ts';
import { agentProbeRoutes } from './api/rest/agent-probe.ts';
import { agentProviderRoutes } from './api/rest/agent-provider.ts';
import { agentRoutes } from './api/rest/agents.ts';
import { apiKeyRoutes } from './api/rest/api-keys.ts';
import { botTokenRoutes } from './api/rest/bot-tokens.ts';
import { callRoutes } from './api/rest/calls.ts';
import { dmRoutes } from './api/rest/dms.ts';
import { emailAddressRoutes } from './api/rest/email-address.ts';
import { exportRoutes } from './api/rest/export.ts';
import { feedbackRoutes } from './api/rest/feedback.ts';
import { fileRoutes } from './api/rest/files.ts';
import { identityRoutes } from './api/rest/identities.ts';
import { type InboxDomain, inboxRoutes } from './api/rest/inbox.ts';
import { internalBearerRoutes } from './api/rest/internal-bearer.ts';
import { inviteLinkRoutes } from './api/rest/invite-link.ts';
import { oauthRoutes } from './api/rest/oauth.ts';
import { type OAuthDoor, oauthDoor } from './api/rest/oauth-door.ts';
import { openApiRoute } from './api/rest/openapi.ts';
import { passwordRoutes } from './api/rest/passwords.ts';
import { platformRoutes } from './api/rest/platforms.ts';
import { signInRoutes } from './api/rest/sign-in.ts';
import { sipDidRoutes } from './api/rest/sip-dids.ts';
import { sipTrunkRoutes } from './api/rest/sip-trunk.ts';
import { type ReadinessCheck, systemRoutes } from './api/rest/system.ts';
import { telegramRoutes } from './api/rest/telegram.ts';
import { usageRoutes } from './api/rest/usage.ts';
import { webhookRoutes } from './api/rest/webhooks.ts';
import { inboxStreamRoute } from './api/stream/inbox-stream-route.ts';
import { OpenStreams } from './api/stream/open-streams.ts';
import { streamRoute } from './api/stream/stream-route.ts';
import type { Clock } from './base/time.ts';
import type { CallDomain } from './calls/call-domain.ts';
import { CallRecorder } from './calls/call-recorder.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { hangUpAgent, hangUpAll } from './calls/hang-up-call.ts';
import { inboundAnswerer } from './calls/ring-call.ts';
import type { Connector } from './connectors/contract/connector.ts';
import {
  fetchesFiles,
  hasWindow,
  invitesPeople,
  isMessenger,
  type Messenger,
  takesMessages,
} from './connectors/contract/messenger.ts';
import type { PortReserver } from './connectors/sip/signaling/rtp-stock.ts';
import { SipConnector } from './connectors/sip/sip-connector.ts';
import { TelegramConnector } from './connectors/telegram/telegram-connector.ts';
import { WhatsAppConnector } from './connectors/whatsapp/whatsapp-connector.ts';
import { deleteAccountFiles } from './files/delete-account-files.ts';
import type { FileDomain } from './files/file-domain.ts';
import { FileSweeper } from './files/file-sweeper.ts';
import { keepInboundFiles } from './files/keep-inbound-files.ts';
import { listedAttachments } from './files/listed-attachments.ts';
import { openFiles } from './files/open-files.ts';
import { attachedFiles, resolveAttachments } from './files/resolve-attachments.ts';
import { AccountNews } from './messaging/account-news.ts';
import { awaitReplies, awaitReply } from './messaging/await-reply.ts';
import { type DeltaQuestion, readDelta } from './messaging/inbox-delta.ts';
import type { Reading } from './messaging/inbox-view.ts';
import { InboxWaiters } from './messaging/inbox-waiters.ts';
import type { IntakeDomain } from './messaging/intake-domain.ts';
import { closeOutbound, openOutbound } from './messaging/open-outbound.ts';
import type { OutboundDomain } from './messaging/outbound-domain.ts';
import { PlatformIntake } from './messaging/platform-intake.ts';
import { recoverOutbox } from './messaging/recover-outbox.ts';
import { Wakeups } from './messaging/wakeups.ts';
import { WindowQueue } from './messaging/window-queue.ts';
import { loadMediaIo } from './native/media-io.ts';
import { listeningUrl, type Settings } from './settings/settings.ts';
import { Retention } from './store/retention.ts';
import type { Store } from './store/store.ts';
import type { MessagePlatform } from './store/tables.ts';
import { BusinessEvents } from './telemetry/business-events.ts';
import type { EngineReading } from './telemetry/engine-metrics.ts';
import type { Loggers } from './telemetry/loggers.ts';
import { Metrics } from './telemetry/metrics.ts';
import type { Engine } from './threads/engine.ts';
import { LATENESS_BOUNDS_MS } from './threads/engine-stats.ts';

const CONNECTING_DEADLINE_MS = 90_000;
/** Specification, "Limits": SIP manual answer. */
const RINGING_DEADLINE_MS = 60_000;
/** 64 × T1 and a little (RFC 3261, section 13.3.1.4). */
const ACCEPTING_DEADLINE_MS = 35_000;

/** Closes one part within some `deadlineMs`. */
export type Closer = (deadlineMs: number) => Promise<void>;

/** What the gateway is made from; whoever starts something adds how it is closed. */
export interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly loggers: Loggers;
  readonly engine: Engine;
  readonly store: Store;
  readonly closers: Closer[];
}

/** Where a gateway that runs is found, and how its operator gets in. */
export interface Running {
  /** Where clients find it, without a slash at the end. */
  readonly publicUrl: string;
  readonly sipPort: number;
  /** Null: nothing listens for SIP over TLS. */
  readonly sipTlsPort: number | null;
  readonly operatorKeys: OperatorKeys;
}

/** Makes the domains, the platforms and the doors, and opens them. */
export async function assemble(parts: Parts): Promise<Running> {
  const { settings, clock, loggers, engine, store, closers } = parts;
  const metrics = new Metrics();
  const events = new BusinessEvents(loggers, metrics);
  const keys = await KeyRing.load(store.db, clock, (error) => events.writeFailed('last use of a key', error));
  const wakeups = new Wakeups();
  const recorder = new CallRecorder(
    store.db,
    clock,
    (callId, error) => events.writeFailed(callId, error),
    (accountId) => wakeups.wake(accountId),
  );
  events.callsLostByRestart(await recorder.disconnectAll());
  const retention = new Retention(store.db, clock, (error) =>
    events.writeFailed('old events and answers', error),
  );
  closers.push(() => retention.close());

  const { host, port } = settings.http;
  const publicUrl = (): string => settings.http.publicUrl ?? listeningUrl(host, http.port);
  const sip = sipConnector(settings, clock, loggers, metrics);
  const telegram = telegramConnector(parts, metrics, publicUrl);
  const whatsApp = whatsAppConnector(parts, metrics);
  const calls = callDomain(settings, clock, {
    engine,
    recorder,
    events,
    sip,
    messengers: whatsApp === null ? [telegram] : [telegram, whatsApp],
    hasLogin: (accountId, platform) => hasLogin(store.db, accountId, platform),
  });
  const files = await fileDomain(parts, calls, metrics);
  const sweeper = new FileSweeper(files, (error) => events.writeFailed('old files', error));
  closers.push(() => sweeper.close());
  metrics.watchCalls(() => calls.registry.countByState());
  metrics.watchEngine(() => engineReading(engine));
  closers.push(() => recorder.settled());
  closers.push((deadlineMs) => sip.close(deadlineMs));
  await sip.start();
  const sipAccounts = { store, directory: sip, clock };
  await loadSipAccounts(sipAccounts);

  const people = await peopleDomain(parts, events, publicUrl);
  // Half of the time: what closes after it must not pay for a mail server that does not answer.
  closers.push((deadlineMs) => people.mailer.close(deadlineMs / 2));
  const agents: AgentDomain = {
    ...sipAccounts,
    keys,
    roster: people.roster,
    endCalls: (accountId, agentId) => hangUpAgent(calls, accountId, agentId),
  };
  const replies = new AgentReplies(clock);
  const windows = windowQueue(parts, { calls, files, wakeups, metrics, events });
  closers.push((deadlineMs) => windows.close(deadlineMs));
  const outbound = outboundDomain(parts, events, { calls, files, wakeups, replies, windows });
  metrics.watchQueue('svc_outbox_waiting', 'Direct messages on their way', () => outbound.outbox.waiting);
  const { outbox, onFailure } = outbound;
  events.messagesLeftByRestart(
    await recoverOutbox(outbound, outbox, (error) => onFailure('a message', error)),
  );
  // What an earlier process was sending has its end by now.
  windows.start();
  takeMessages(calls, intakeDomain(parts, { outbound, windows, files, wakeups, roster: people.roster }));
  const streams = new OpenStreams();
  const inbox = inboxDomain(parts, wakeups, (seqs) => listedAttachments(files, publicUrl(), seqs));
  metrics.watchInbox(() => inbox.waiters);
  const probes = new AgentProbes(store.db, clock, {
    openStreams: (keyId) => streams.countOf(keyId),
    hasReplied: (keyId, sinceIso) => replies.hasReplied(keyId, sinceIso),
  });
  const narrow = (credentialId: string, agentIds: readonly string[]): void => {
    streams.narrow(credentialId, agentIds);
    inbox.waiters.dismiss(credentialId);
  };
  keys.watch(narrow);
  people.sessions.watch((sessionId) => narrow(sessionId, []));

  const authenticate = authenticator(keys, people.sessions);
  const onProviderFailed = (provider: string, error: unknown) =>
    loggers.accounts.warn({ provider, err: error }, 'an identity provider failed');
  const signIns = signInsOf({ store, people, providers: settings.oidcProviders, onProviderFailed });
  const oauth = oauthDoor(signIns, people, authenticate);
  const http = new HttpServer({
    routes: routes({
      calls,
      sip: sipAccounts,
      agents,
      files,
      inbox,
      outbound,
      probes,
      people,
      oauth,
      metrics,
      publicUrl,
    }),
    sockets: [
      streamRoute(calls, authenticate, streams),
      inboxStreamRoute(streamedFeed(inbox, wakeups, loggers), authenticate, streams),
    ],
    authenticate,
    ownOrigin: () => new URL(publicUrl()).origin,
    addresses: new ClientAddresses(settings.people.trustedProxies),
    idempotency: new IdempotentRequests(store, clock, (error) => events.writeFailed('a kept answer', error)),
    bodyLimitBytes: settings.http.bodyLimitBytes,
    onAnswered: (answered) => metrics.requestAnswered(answered),
    onError: (error, requestId) => loggers.http.error({ err: error, requestId }, 'a request failed'),
  });
  // Closes after everything that still has messages to send.
  closers.push(() => telegram.close());
  closers.push((deadlineMs) => http.close(deadlineMs));
  // Runs before HTTP closes, which would wait for them.
  closers.push(async () => inbox.waiters.close());
  // Runs before HTTP closes, which would wait for messages on their way; half of the time, so that HTTP has some too.
  closers.push((deadlineMs) => closeOutbound(outbound, deadlineMs / 2));
  // Runs before HTTP closes, so that agents still hear how their calls end.
  closers.push((deadlineMs) => hangUpAll(calls, deadlineMs));
  await awaitReplies(outbound);
  await http.listen(host, port);
  await telegram.start();
  if (whatsApp !== null) {
    closers.push(() => whatsApp.close());
    await whatsApp.start();
  }
  await logInBots({ ...sipAccounts, calls });
  // Only now: keys made by a start that then failed would never have been shown.
  const operatorKeys = await ensureOperator(store.db, settings.bootstrap, clock.nowIso());
  await keys.reload();
  retention.start();
  sweeper.start();
  return {
    publicUrl: publicUrl(),
    sipPort: sip.port ?? settings.sip.port,
    sipTlsPort: sip.tlsPort,
    operatorKeys,
  };
}

/** Null: ports are bound by the thread that uses them. */
function portReserver(): PortReserver | null {
  const binding = loadMediaIo();
  return typeof binding === 'string' ? null : binding;
}

function sipConnector(settings: Settings, clock: Clock, loggers: Loggers, metrics: Metrics): SipConnector {
  const { tlsCa, tlsListen, ...others } = settings.sip;
  return new SipConnector(
    {
      ...others,
      tlsTrust: tlsCa === null ? {} : { ca: tlsCa },
      ...(tlsListen === null ? {} : { tlsListen }),
      ...(settings.engine.mediaIo === 'portable' ? {} : { reserving: portReserver }),
    },
    clock,
    {
      count: (counter) => metrics.sipEvent(counter),
      log: (level, text, detail) => loggers.sip[level](detail, text),
    },
  );
}

function telegramConnector(
  { settings, clock, loggers }: Parts,
  metrics: Metrics,
  publicUrl: () => string,
): TelegramConnector {
  const { urls, sharedToken, updates } = settings.telegram;
  const webhookRoot = updates === 'webhook' ? () => `${publicUrl()}/api/telegram/webhook` : null;
  return new TelegramConnector({ urls, sharedToken, webhookRoot }, clock, {
    count: (event) => metrics.messengerEvent('telegram', event),
    log: (level, text, detail) => loggers.messaging[level]({ platform: 'telegram', ...detail }, text),
  });
}

/** Null: the operator has set up no number. */
function whatsAppConnector({ settings, clock, loggers }: Parts, metrics: Metrics): WhatsAppConnector | null {
  if (settings.whatsapp === null) return null;
  return new WhatsAppConnector(settings.whatsapp, clock, {
    count: (event) => metrics.messengerEvent('whatsapp', event),
    log: (level, text, detail) => loggers.messaging[level]({ platform: 'whatsapp', ...detail }, text),
  });
}

function callDomain(
  settings: Settings,
  clock: Clock,
  parts: Pick<CallDomain, 'engine' | 'recorder' | 'events' | 'hasLogin'> & {
    readonly sip: SipConnector;
    readonly messengers: readonly Connector[];
  },
): CallDomain {
  const { sip, messengers, ...others } = parts;
  const calls: CallDomain = {
    ...others,
    clock,
    registry: new CallRegistry(),
    connectors: new Map([sip, ...messengers].map((connector) => [connector.platform, connector])),
    deadlines: {
      connectingMs: CONNECTING_DEADLINE_MS,
      ringingMs: RINGING_DEADLINE_MS,
      acceptingMs: ACCEPTING_DEADLINE_MS,
      activeMs: settings.calls.maxCallMs,
    },
    maxCallsPerAccount: settings.calls.maxPerAccount,
  };
  sip.onInbound(inboundAnswerer(calls, sip));
  return calls;
}

async function fileDomain(
  { settings, clock, store }: Parts,
  { connectors }: CallDomain,
  metrics: Metrics,
): Promise<FileDomain> {
  const { maxBytes, fetchAllow: trusted, ...limits } = settings.files;
  const files = await openFiles(
    { dir: join(settings.dataDir, 'files'), limits, trusted },
    {
      store,
      clock,
      maxBytes,
      fetcher: (platform) => {
        const connector = connectors.get(platform);
        return connector && fetchesFiles(connector) ? connector : undefined;
      },
      count: (event) => metrics.fileEvent(event),
    },
  );
  metrics.watchFileBytes(() => files.ledger.totalBytes);
  return files;
}

async function peopleDomain(
  { settings, clock, store: { db } }: Parts,
  events: BusinessEvents,
  publicUrl: () => string,
): Promise<People> {
  const { signup: mode, signupCode: code, loginAttempts } = settings.people;
  const transport = settings.mail
    ? new SmtpTransport(settings.mail.smtpUrl, settings.mail.from)
    : new OutboxFolder(join(settings.dataDir, 'outbox'), () => clock.nowIso(), events);
  const roster = await AgentRoster.load(db);
  return {
    db,
    clock,
    roster,
    sessions: await SessionRing.load(db, clock, roster, (error) =>
      events.writeFailed('last use of a session', error),
    ),
    mailer: new Mailer(transport, clock, events),
    limits: new AttemptLimits(clock, loginAttempts),
    signup: { mode, code },
    publicUrl,
  };
}

/** Everybody by whom people and agents write to each other. */
function messengersOf({ connectors }: CallDomain): ReadonlyMap<MessagePlatform, Messenger> {
  const messengers = [...connectors.values()].flatMap((connector) =>
    isMessenger(connector) ? [connector] : [],
  );
  return new Map(messengers.map((messenger) => [messenger.platform, messenger]));
}

interface QueueNeeds {
  readonly calls: CallDomain;
  readonly files: FileDomain;
  readonly wakeups: Wakeups;
  readonly metrics: Metrics;
  readonly events: BusinessEvents;
}

function windowQueue({ store, clock }: Parts, needs: QueueNeeds): WindowQueue {
  const { calls, files, wakeups, metrics, events } = needs;
  return new WindowQueue({
    store,
    clock,
    messengers: messengersOf(calls),
    filesOf: (messageSeq) => attachedFiles(files, messageSeq),
    wakeups,
    count: (platform, event) => metrics.messengerEvent(platform, event),
    onFailure: (error) => events.writeFailed('messages that wait', error),
  });
}

/** Null: there is no number, or it is not known yet. */
function whatsAppUrl({ connectors }: CallDomain, token: string): string | null {
  const connector = connectors.get('whatsapp');
  return connector && invitesPeople(connector) ? connector.inviteUrl(token) : null;
}

interface OutboundNeeds {
  readonly calls: CallDomain;
  readonly files: FileDomain;
  readonly wakeups: Wakeups;
  readonly replies: AgentReplies;
  readonly windows: WindowQueue;
}

function outboundDomain(
  { settings, store, clock }: Parts,
  events: BusinessEvents,
  { calls, files, wakeups, replies, windows }: OutboundNeeds,
): OutboundDomain {
  return openOutbound({
    store,
    clock,
    messengers: messengersOf(calls),
    windows,
    wakeups,
    filesOf: (messageSeq) => attachedFiles(files, messageSeq),
    resolveFiles: (accountId, sources, signal) => resolveAttachments(files, accountId, sources, signal),
    observer: events,
    timeoutText: settings.messaging.timeoutText,
    onWritten: (credentialId) => replies.written(credentialId),
    onFailure: (what, error) => events.writeFailed(what, error),
  });
}

interface IntakeNeeds {
  readonly outbound: OutboundDomain;
  readonly windows: WindowQueue;
  readonly files: FileDomain;
  readonly wakeups: Wakeups;
  readonly roster: AgentRoster;
}

function intakeDomain(
  { store, clock }: Parts,
  { outbound, windows, files, wakeups, roster }: IntakeNeeds,
): IntakeDomain {
  const windowed = [...outbound.messengers.values()].filter(hasWindow);
  return {
    store,
    clock,
    wakeups,
    holds: new Map(windowed.map((messenger) => [messenger.platform, windows])),
    keepFiles: (trx, from, sent) => keepInboundFiles(files, trx, from, sent),
    onReceived: ({ conversationId }) => {
      awaitReply(outbound, conversationId).catch((error) =>
        outbound.onFailure('who waits for an answer', error),
      );
    },
    followAgents: (accountId) => roster.reload(accountId),
  };
}

/** Whatever people write on a platform goes to the one domain of messages. */
function takeMessages({ connectors }: CallDomain, intake: IntakeDomain): void {
  for (const connector of connectors.values())
    if (takesMessages(connector)) connector.onMessages(new PlatformIntake(intake, connector.platform));
}

function inboxDomain(
  { store, clock }: Parts,
  wakeups: Wakeups,
  attachments: Reading['attachments'],
): InboxDomain {
  const reading: Reading = { store, clock, attachments };
  const view = {
    read: (question: DeltaQuestion) => readDelta(reading, question),
    newsOf: (accountId: string) => new AccountNews(store.db, accountId),
  };
  return { ...reading, waiters: new InboxWaiters(view, wakeups, clock) };
}

function streamedFeed(reading: Reading, wakeups: Wakeups, loggers: Loggers) {
  const onFailure = (error: unknown) => loggers.http.error({ err: error }, 'an inbox stream failed');
  return { reading, wakeups, onFailure };
}

/** What the endpoints act on. */
interface Domains {
  readonly calls: CallDomain;
  readonly sip: SipAccounts;
  readonly agents: AgentDomain;
  readonly files: FileDomain;
  readonly inbox: InboxDomain;
  readonly outbound: OutboundDomain;
  readonly probes: AgentProbes;
  readonly people: People;
  readonly oauth: OAuthDoor;
  readonly metrics: Metrics;
  readonly publicUrl: () => string;
}

function routes(domains: Domains): Route[] {
  const { calls, sip, agents, files, inbox, outbound, probes, people, oauth, metrics, publicUrl } = domains;
  const accounts = { ...sip, calls };
  const all: Route[] = [
    ...callRoutes(calls, publicUrl),
    ...inboxRoutes(inbox),
    ...dmRoutes(outbound),
    ...fileRoutes(files, publicUrl),
    ...sipTrunkRoutes(sip),
    ...sipDidRoutes(sip),
    ...agentRoutes(agents),
    ...agentMemberRoutes(agents),
    ...agentProviderRoutes(agents),
    ...internalBearerRoutes(agents),
    ...deliveryRoutes(agents),
    ...apiKeyRoutes(agents),
    ...accountRoutes(accounts),
    ...usageRoutes(accounts),
    ...platformRoutes(accounts),
    ...botTokenRoutes(accounts),
    ...inviteLinkRoutes(accounts, (token) => whatsAppUrl(calls, token)),
    ...telegramRoutes(accounts),
    ...webhookRoutes(calls.connectors.values()),
    ...feedbackRoutes(accounts),
    ...exportRoutes(accounts),
    ...accountDeletionRoutes(leavingDomain(accounts, agents, files, people), publicUrl),
    ...agentProbeRoutes(probes),
    ...signInRoutes(people),
    ...passwordRoutes(people),
    ...emailAddressRoutes(people),
    ...oauthRoutes(oauth),
    ...identityRoutes(oauth.signIns),
    ...systemRoutes({ readiness: readiness(calls), metrics: () => metrics.text() }),
    openApiRoute(() => all, publicUrl),
  ];
  return all;
}

function leavingDomain(
  accounts: AccountDomain,
  { keys }: AgentDomain,
  files: FileDomain,
  people: People,
): LeavingDomain {
  return {
    ...accounts,
    deleteFiles: (accountId) => deleteAccountFiles(files, accountId),
    checkPassword: (accountId, password, ip) => checkPassword(people, accountId, password, ip),
    forgetCredentials: async (accountId) => {
      people.sessions.removeAllOf(accountId);
      await people.roster.reload(accountId);
      await keys.refresh(accountId);
    },
  };
}

function readiness({ engine }: CallDomain): ReadinessCheck[] {
  const noThreads = 'no engine thread runs';
  return [{ name: 'engine', problem: () => (engine.report().workers.length > 0 ? null : noThreads) }];
}

function engineReading(engine: Engine): EngineReading {
  const { total, workers } = engine.report();
  const { latenessCounts, latenessSumMs, ...counters } = total;
  return {
    threads: workers.length,
    opusLibraries: workers.flatMap(({ opusLibrary }) => opusLibrary ?? []),
    counters,
    latenessBoundsMs: LATENESS_BOUNDS_MS,
    latenessCounts,
    latenessSumMs,
  };
}
