import { availableParallelism } from 'node:os';
import type { Budgets } from '../accounts/budgets/budgets.ts';
import { minuteBudget } from '../accounts/budgets/minute-budget.ts';
import { hasLogin } from '../accounts/logins/platform-status.ts';
import type { StreamThreads } from '../api/stream-threads/stream-threads.ts';
import type { Platform } from '../base/platform.ts';
import { dayOf } from '../base/time.ts';
import { Admission } from '../calls/admission.ts';
import { type CallDomain, callDomain } from '../calls/call-domain.ts';
import type { CallIdentity } from '../calls/call-event.ts';
import { CallRecorder } from '../calls/call-recorder.ts';
import { CallRegistry } from '../calls/call-registry.ts';
import { CallRoom } from '../calls/call-room.ts';
import { inboundAnswerer } from '../calls/ring-call.ts';
import type { AskTurnModel } from '../calls/turn-ends.ts';
import type { Connector } from '../connectors/contract/connector.ts';
import type { FileDomain } from '../files/file-domain.ts';
import { keepChatFiles } from '../files/keep-inbound-files.ts';
import { TurnJudge } from '../models/chat/turn-judge.ts';
import type { LocalShares } from '../speech/session/local-shares.ts';
import { SpeechSessions } from '../speech/session/speech-sessions.ts';
import { speechSettings } from '../speech/session/speech-settings.ts';
import type { UsedSpeech } from '../speech/session/speech-usage.ts';
import { noNeuralVoice } from '../speech/vad/neural-voice.ts';
import { findRow } from '../store/database/rows.ts';
import { loginsOfAgents } from '../store/logins/agent-logins.ts';
import { countUsage } from '../store/people/usage.ts';
import { findEnabledVoiceConfigs } from '../store/speech/voice-configs.ts';
import type { EngineReading } from '../telemetry/engine-metrics.ts';
import type { Engine } from '../threads/engine.ts';
import { DELAY_BOUNDS_MS, LATENESS_BOUNDS_MS } from '../threads/engine-stats.ts';
import { PlayoutBudget } from '../threads/playout-budget.ts';
import type { PartDeps } from './gateway-deps.ts';
import { loadGauges } from './load-gauges.ts';
import { modelHttp } from './model-http.ts';
import { playoutBounds } from './playout-bounds.ts';

/** They cost little, and a machine that is busy with something else can carry them. */
const ALWAYS_ADMITTED_PER_CORE = 20;
const CONNECTING_DEADLINE_MS = 90_000;
/** How long an agent waits in a lobby. */
const WAITING_DEADLINE_MS = 10 * 60_000;
/** Specification, "Limits": SIP manual answer. */
const RINGING_DEADLINE_MS = 60_000;
/** 64 × T1 with some margin (RFC 3261, section 13.3.1.4). */
const ACCEPTING_DEADLINE_MS = 35_000;

interface CallNeeds {
  readonly connectors: ReadonlyMap<Platform, Connector>;
  readonly files: FileDomain;
  readonly budgets: Budgets;
  readonly local: LocalShares;
  readonly streamThreads: StreamThreads | null;
}

/** Creates the call domain, after reporting calls that an earlier process left live as disconnected. */
export async function openCalls(
  deps: PartDeps,
  { connectors, files, budgets, local, streamThreads }: CallNeeds,
): Promise<CallDomain> {
  const { settings, clock, engine, bridges, store, closers, wakeups, metrics, events } = deps;
  const recorder = new CallRecorder(
    store,
    clock,
    (callId, error) => events.writeFailed(callId, error),
    (accountId) => wakeups.wake(accountId),
  );
  events.callsLostByRestart(await recorder.disconnectAll());
  closers.push(() => recorder.settled());
  const keys = { secrets: store.secrets, urls: settings.speechUrls };
  const noNetwork = settings.neuralVoice ? noNeuralVoice() : null;
  metrics.watchVoices(settings.neuralVoice && noNetwork === null);
  if (noNetwork !== null)
    deps.loggers.calls.warn({ reason: noNetwork }, 'voices are detected without the neural network');
  const speech = new SpeechSessions({
    bridges,
    local,
    events,
    clock,
    recordUsage: (call, used) => recordSpeech(deps, call, used),
    settingsOf: ({ capabilities }) => speechSettings(capabilities.presets, keys),
  });
  closers.push(() => speech.settled());
  const registry = new CallRegistry();
  const admission = openAdmission(deps, registry);
  const room = new CallRoom(clock, settings.calls.portPairs, () => admission.admit());
  metrics.watchShare('calls', room.share);
  const calls = callDomain({
    engine,
    recorder,
    events,
    clock,
    logins: {
      ofAgents: (scope, platform) => loginsOfAgents(store.db, scope, platform),
      hasAny: (accountId, platform) => hasLogin(store.db, accountId, platform),
    },
    presets: {
      find: (accountId, id) => findRow(store.db, 'voiceConfigs', { accountId, id }),
      enabled: (accountId) => findEnabledVoiceConfigs(store.db, accountId),
    },
    keepChatFiles: (origin, sent) => keepChatFiles(files, origin, sent),
    registry,
    admission,
    room,
    connectors,
    speech,
    deadlines: {
      connectingMs: CONNECTING_DEADLINE_MS,
      waitingMs: WAITING_DEADLINE_MS,
      ringingMs: RINGING_DEADLINE_MS,
      acceptingMs: ACCEPTING_DEADLINE_MS,
      activeMs: settings.calls.maxCallMs,
    },
    playout: new PlayoutBudget({
      ...playoutBounds(streamThreads?.most ?? 0),
      onFull: () => metrics.queueFull('playout'),
    }),
    maxCallsPerAccount: settings.calls.maxPerAccount,
    budget: minuteBudget(budgets, store.db),
    askTurn: turnModel(deps),
  });
  for (const connector of connectors.values())
    connector.provides.inboundCalls?.onInbound(inboundAnswerer(calls, connector));
  metrics.watchCalls(() => calls.registry.countByState());
  metrics.watchEngine(() => engineReading(engine));
  metrics.watchBridges(() => bridges.report());
  return calls;
}

/** Null: none is configured. */
function turnModel(deps: PartDeps): AskTurnModel | null {
  const { settings, clock, closers, metrics } = deps;
  const { turns } = settings.models;
  if (turns === null) return null;
  const judge = new TurnJudge({ ...turns, clock, http: modelHttp(deps).of('turns') });
  metrics.watchShare('turn_judge', judge.places);
  closers.push(async () => judge.close());
  return (accountId, text) => judge.ask(accountId, text);
}

function openAdmission(
  { engine, clock, closers, metrics, settings }: PartDeps,
  registry: CallRegistry,
): Admission {
  const admission = new Admission({
    clock,
    gauges: settings.calls.isAdmittedByLoad ? loadGauges(engine) : [],
    maxCalls: settings.calls.maxTotal,
    alwaysAdmitted: ALWAYS_ADMITTED_PER_CORE * availableParallelism(),
    liveCalls: () => registry.count,
  });
  closers.push(async () => admission.close());
  metrics.watchAdmission(admission);
  return admission;
}

async function recordSpeech(
  { store, clock, events }: PartDeps,
  { accountId, platform }: CallIdentity,
  { characters, spokenMs, heardMs }: UsedSpeech,
): Promise<void> {
  try {
    await countUsage(store.db, {
      accountId,
      platform,
      day: dayOf(clock.nowIso()),
      spokenCharacters: characters,
      spokenMs: Math.round(spokenMs),
      heardMs: Math.round(heardMs),
    });
  } catch (error) {
    events.writeFailed('usage of hosted speech', error);
  }
}

function engineReading(engine: Engine): EngineReading {
  const { total, workers } = engine.report();
  const { latenessCounts, latenessSumMs, delayCounts, delaySumMs, ...counters } = total;
  return {
    threads: workers.length,
    opusLibraries: workers.flatMap(({ opusLibrary }) => opusLibrary ?? []),
    counters,
    latenessBoundsMs: LATENESS_BOUNDS_MS,
    latenessCounts,
    latenessSumMs,
    delayBoundsMs: DELAY_BOUNDS_MS,
    delayCounts,
    delaySumMs,
  };
}
