import { ensureOperator, type OperatorKeys } from './accounts/first-start.ts';
import { KeyRing } from './accounts/key-ring.ts';
import { loadSipAccounts, type SipAccounts } from './accounts/sip-accounts.ts';
import { authenticator } from './api/auth/authenticator.ts';
import type { Route } from './api/http/route.ts';
import { HttpServer } from './api/http/server.ts';
import { callRoutes } from './api/rest/calls.ts';
import { openApiRoute } from './api/rest/openapi.ts';
import { sipDidRoutes } from './api/rest/sip-dids.ts';
import { sipTrunkRoutes } from './api/rest/sip-trunk.ts';
import { type ReadinessCheck, systemRoutes } from './api/rest/system.ts';
import { streamRoute } from './api/stream/stream-route.ts';
import type { Clock } from './base/time.ts';
import type { CallDomain } from './calls/call-domain.ts';
import { CallRecorder } from './calls/call-recorder.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { hangUpAll } from './calls/hang-up-call.ts';
import { inboundAnswerer } from './calls/ring-call.ts';
import { SipConnector } from './connectors/sip/sip-connector.ts';
import { loadMediaIo } from './native/media-io.ts';
import { listeningUrl, type Settings } from './settings/settings.ts';
import { EventRetention } from './store/event-retention.ts';
import { openStore, type Store } from './store/store.ts';
import { BusinessEvents } from './telemetry/business-events.ts';
import type { EngineReading } from './telemetry/engine-metrics.ts';
import type { Loggers } from './telemetry/loggers.ts';
import { Metrics } from './telemetry/metrics.ts';
import { Engine, type EngineObserver } from './threads/engine.ts';
import { LATENESS_BOUNDS_MS } from './threads/engine-stats.ts';

/** A worker that stands still this long is replaced. */
const ENGINE_STALL_MS = 2_000;
const CONNECTING_DEADLINE_MS = 90_000;
/** Specification, "Limits": SIP manual answer. */
const RINGING_DEADLINE_MS = 60_000;
/** 64 × T1 and a little (RFC 3261, section 13.3.1.4). */
const ACCEPTING_DEADLINE_MS = 35_000;

/** A gateway that runs. */
export interface Gateway {
  /** Where clients find it, without a slash at the end. */
  readonly publicUrl: string;
  readonly sipPort: number;
  /** Null: nothing listens for SIP over TLS. */
  readonly sipTlsPort: number | null;
  readonly operatorKeys: OperatorKeys;
  /** Ends every call, tells every platform and client, and releases everything within some `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

/** Puts the parts together and starts them; rejects, with nothing left running, when one cannot start. */
export async function startGateway(settings: Settings, clock: Clock, loggers: Loggers): Promise<Gateway> {
  const closers: ((deadlineMs: number) => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;
  const close = (deadlineMs: number): Promise<void> => {
    closing ??= closeAll(closers, deadlineMs, loggers);
    return closing;
  };
  try {
    return await assemble(settings, clock, loggers, closers, close);
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** However late it is, a part gets this long to close. */
const LEAST_CLOSE_MS = 500;

/** Last in, first out, all within the deadline; a part that cannot close does not keep the others open. */
async function closeAll(
  closers: ((deadlineMs: number) => Promise<void>)[],
  deadlineMs: number,
  loggers: Loggers,
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    const leftMs = Math.max(LEAST_CLOSE_MS, endMs - performance.now());
    await closer(leftMs).catch((error) => loggers.main.error({ err: error }, 'a part failed to close'));
  }
}

async function assemble(
  settings: Settings,
  clock: Clock,
  loggers: Loggers,
  closers: ((deadlineMs: number) => Promise<void>)[],
  close: Gateway['close'],
): Promise<Gateway> {
  const metrics = new Metrics();
  const events = new BusinessEvents(loggers, metrics);
  const [engine, store] = await startEngineAndStore(settings, clock, loggers, closers);
  const keys = await KeyRing.load(store.db, clock, (error) => events.writeFailed('last use of a key', error));
  const recorder = new CallRecorder(store.db, clock, (callId, error) => events.writeFailed(callId, error));
  events.callsLostByRestart(await recorder.disconnectAll());
  const retention = new EventRetention(store.db, clock, (error) => events.writeFailed('old events', error));
  closers.push(() => retention.close());
  retention.start();

  const sip = sipConnector(settings, clock, loggers, metrics);
  const calls = callDomain(settings, clock, { engine, recorder, events, sip });
  metrics.watchCalls(() => calls.registry.countByState());
  metrics.watchEngine(() => engineReading(engine));
  closers.push(() => recorder.settled());
  closers.push((deadlineMs) => sip.close(deadlineMs));
  await sip.start();
  const sipAccounts = { store, directory: sip, clock };
  await loadSipAccounts(sipAccounts);

  const { host, port } = settings.http;
  const publicUrl = (): string => settings.http.publicUrl ?? listeningUrl(host, http.port);
  const authenticate = authenticator(keys);
  const http = new HttpServer({
    routes: routes(calls, sipAccounts, metrics, publicUrl),
    sockets: [streamRoute(calls, authenticate)],
    authenticate,
    bodyLimitBytes: settings.http.bodyLimitBytes,
    onAnswered: (answered) => metrics.requestAnswered(answered),
    onError: (error, requestId) => loggers.http.error({ err: error, requestId }, 'a request failed'),
  });
  closers.push((deadlineMs) => http.close(deadlineMs));
  // Runs before HTTP closes, so that agents still hear how their calls end.
  closers.push((deadlineMs) => hangUpAll(calls, deadlineMs));
  await http.listen(host, port);
  // Only now: keys made by a start that then failed would never have been shown.
  const operatorKeys = await ensureOperator(store.db, settings.bootstrap, clock.nowIso());
  await keys.reload();
  return {
    publicUrl: publicUrl(),
    sipPort: sip.port ?? settings.sip.port,
    sipTlsPort: sip.tlsPort,
    operatorKeys,
    close,
  };
}

async function startEngineAndStore(
  settings: Settings,
  clock: Clock,
  loggers: Loggers,
  closers: ((deadlineMs: number) => Promise<void>)[],
): Promise<[Engine, Store]> {
  if (settings.engine.mediaIo === 'native') assertNativeMediaIo();
  const engine = Engine.start({
    ...settings.engine,
    stallMs: ENGINE_STALL_MS,
    observer: engineLog(loggers),
  }).then((started) => {
    closers.push((deadlineMs) => started.close(deadlineMs));
    return started;
  });
  const store = openStore({ dataDir: settings.dataDir, masterKey: settings.masterKey, clock }).then(
    (opened) => {
      closers.push(() => opened.close());
      return opened;
    },
  );
  await Promise.allSettled([engine, store]);
  return [await engine, await store];
}

/** Said here, because a thread that cannot start would only be missed after its deadline. */
function assertNativeMediaIo(): void {
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return;
  throw new Error(`SVC_MEDIA_IO is "native", but native media I/O cannot be loaded: ${binding}`);
}

function engineLog({ engine }: Loggers): EngineObserver {
  return {
    workerReady: (threadId) => engine.debug({ threadId }, 'engine thread ready'),
    workerLost: (threadId, stalled, calls) =>
      engine.error({ threadId, stalled, calls }, 'engine thread lost, its calls move'),
    callMoved: (callId, reason) => engine.warn({ callId, reason }, 'call moves to another engine thread'),
    callFailed: (callId, error) => engine.error({ callId, error }, 'call failed in the engine'),
    fault: (error) => engine.error({ error }, 'fault in the engine'),
  };
}

function sipConnector(settings: Settings, clock: Clock, loggers: Loggers, metrics: Metrics): SipConnector {
  const { tlsCa, tlsListen, ...others } = settings.sip;
  return new SipConnector(
    {
      ...others,
      tlsTrust: tlsCa === null ? {} : { ca: tlsCa },
      ...(tlsListen === null ? {} : { tlsListen }),
    },
    clock,
    {
      count: (counter) => metrics.sipEvent(counter),
      log: (level, text, detail) => loggers.sip[level](detail, text),
    },
  );
}

function callDomain(
  settings: Settings,
  clock: Clock,
  parts: Pick<CallDomain, 'engine' | 'recorder' | 'events'> & { readonly sip: SipConnector },
): CallDomain {
  const { sip, ...others } = parts;
  const calls: CallDomain = {
    ...others,
    clock,
    registry: new CallRegistry(),
    connectors: new Map([[sip.platform, sip]]),
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

function routes(calls: CallDomain, sip: SipAccounts, metrics: Metrics, publicUrl: () => string): Route[] {
  const all: Route[] = [
    ...callRoutes(calls, publicUrl),
    ...sipTrunkRoutes(sip),
    ...sipDidRoutes(sip),
    ...systemRoutes({ readiness: readiness(calls), metrics: () => metrics.text() }),
    openApiRoute(() => all, publicUrl),
  ];
  return all;
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
    counters,
    latenessBoundsMs: LATENESS_BOUNDS_MS,
    latenessCounts,
    latenessSumMs,
  };
}
