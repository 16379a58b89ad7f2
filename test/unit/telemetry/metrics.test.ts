import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { BusinessEvents } from '../../../src/telemetry/business-events.ts';
import type { EngineReading } from '../../../src/telemetry/engine-metrics.ts';
import { openLoggers } from '../../../src/telemetry/loggers.ts';
import { Metrics } from '../../../src/telemetry/metrics.ts';

const CALL = {
  callId: 'call_1',
  accountId: 'acc_1',
  platform: 'sip',
  direction: 'inbound',
  caller: '+33123456789',
  meetingUrl: 'sip:+33987654321@trunk.test',
} as const;

async function linesOf(metrics: Metrics, prefix: string): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix));
}

test('requests are counted by route and status, and timed', async () => {
  const metrics = new Metrics();
  const answer = { method: 'get', path: '/api/call/{call_id}', status: 200, durationMs: 3 };
  metrics.requestAnswered(answer);
  metrics.requestAnswered(answer);
  metrics.requestAnswered({ ...answer, status: 404 });
  expect(await linesOf(metrics, 'svc_http_request_duration_seconds_count')).toEqual([
    'svc_http_request_duration_seconds_count{method="get",path="/api/call/{call_id}",status="200"} 2',
    'svc_http_request_duration_seconds_count{method="get",path="/api/call/{call_id}",status="404"} 1',
  ]);
  const buckets = await linesOf(metrics, 'svc_http_request_duration_seconds_bucket');
  expect(buckets.find((line) => line.includes('le="0.0025"'))).toMatch(/ 0$/);
  expect(buckets.find((line) => line.includes('le="0.005"'))).toMatch(/ 2$/);
});

test('unknown methods share one series', async () => {
  const metrics = new Metrics();
  for (let i = 0; i < 20; i++)
    metrics.requestAnswered({ method: `x${i}`, path: null, status: 404, durationMs: 1 });
  expect(await linesOf(metrics, 'svc_http_request_duration_seconds_count')).toEqual([
    'svc_http_request_duration_seconds_count{method="other",path="none",status="404"} 20',
  ]);
});

test('two gateways in one process count separately', async () => {
  const [one, other] = [new Metrics(), new Metrics()];
  one.callStarted('sip', 'inbound');
  expect(await linesOf(one, 'svc_calls_started_total')).toHaveLength(1);
  expect(await linesOf(other, 'svc_calls_started_total')).toEqual([]);
  expect(await linesOf(other, 'process_resident_memory_bytes')).toHaveLength(1);
});

test('a call produces metrics and log lines, with personal data in its own field', async () => {
  const lines: string[] = [];
  const metrics = new Metrics();
  const events = new BusinessEvents(
    openLoggers('info', { write: (line) => void lines.push(line) }),
    metrics,
    systemClock,
  );
  events.callStarted(CALL);
  events.callAnswered(CALL, 240);
  events.callEnded(CALL, 'ended', { result: 'completed', reason: 'BYE' }, 61_000);
  expect(await linesOf(metrics, 'svc_calls_ended_total')).toEqual([
    'svc_calls_ended_total{platform="sip",state="ended",result="completed"} 1',
  ]);
  expect(await linesOf(metrics, 'svc_call_setup_duration_seconds_sum')).toEqual([
    'svc_call_setup_duration_seconds_sum{platform="sip",direction="inbound"} 0.24',
  ]);
  // The lines are written in the next turn.
  await new Promise(setImmediate);
  const [started, answered, ended] = lines.map((line) => JSON.parse(line));
  expect(started.personal).toEqual({ caller: CALL.caller, meetingUrl: CALL.meetingUrl });
  expect(answered).toMatchObject({ callId: 'call_1', setupMs: 240 });
  expect(ended).toMatchObject({ state: 'ended', result: 'completed', reason: 'BYE', lastedMs: 61_000 });
  expect(JSON.stringify([answered, ended])).not.toContain('+33');
});

test('live calls are shown as of the request, without states that are gone', async () => {
  const metrics = new Metrics();
  let live = new Map([['active', 2]]);
  metrics.watchCalls(() => live);
  expect(await linesOf(metrics, 'svc_calls{')).toEqual(['svc_calls{state="active"} 2']);
  live = new Map([['ringing', 1]]);
  expect(await linesOf(metrics, 'svc_calls{')).toEqual(['svc_calls{state="ringing"} 1']);
});

test('engine figures are read on request, with lateness and delay as cumulative histograms in seconds', async () => {
  const metrics = new Metrics();
  const reading: EngineReading = {
    threads: 4,
    opusLibraries: ['libopus 1.3.1', 'WebAssembly', 'libopus 1.3.1'],
    counters: { calls: 3, skipped_ticks: 7 },
    latenessBoundsMs: [1, 5],
    latenessCounts: [10, 4, 1],
    latenessSumMs: 50,
    delayBoundsMs: [40],
    delayCounts: [3, 1],
    delaySumMs: 240,
  };
  metrics.watchEngine(() => reading);
  expect(await linesOf(metrics, 'svc_engine_')).toEqual([
    'svc_engine_calls 3',
    'svc_engine_skipped_ticks_total 7',
    'svc_engine_threads 4',
    'svc_engine_opus_threads{library="libopus 1.3.1"} 2',
    'svc_engine_opus_threads{library="WebAssembly"} 1',
    'svc_engine_tick_lateness_seconds_bucket{le="0.001"} 10',
    'svc_engine_tick_lateness_seconds_bucket{le="0.005"} 14',
    'svc_engine_tick_lateness_seconds_bucket{le="+Inf"} 15',
    'svc_engine_tick_lateness_seconds_sum 0.05',
    'svc_engine_tick_lateness_seconds_count 15',
    'svc_engine_jitter_delay_seconds_bucket{le="0.04"} 3',
    'svc_engine_jitter_delay_seconds_bucket{le="+Inf"} 4',
    'svc_engine_jitter_delay_seconds_sum 0.24',
    'svc_engine_jitter_delay_seconds_count 4',
  ]);
});

test('bridge figures are read on request', async () => {
  const metrics = new Metrics();
  const placed = { threads: 2, transports: 26, opening: 4 };
  const reading = { ...placed, droppedSignals: 3, resumedTransports: 25, lostTransports: 1 };
  metrics.watchBridges(() => reading);
  expect(await linesOf(metrics, 'svc_bridge_')).toEqual([
    'svc_bridge_threads 2',
    'svc_bridge_transports 26',
    'svc_bridge_opening 4',
    'svc_bridge_dropped_signals_total 3',
    'svc_bridge_thread_losses_total{outcome="resumed"} 25',
    'svc_bridge_thread_losses_total{outcome="gone"} 1',
  ]);
});

test('hosted speech is measured per provider', async () => {
  const lines: string[] = [];
  const metrics = new Metrics();
  const events = new BusinessEvents(
    openLoggers('info', { write: (line) => void lines.push(line) }),
    metrics,
    systemClock,
  );
  const [stt, tts] = [
    { service: 'stt', provider: 'deepgram' },
    { service: 'tts', provider: 'openai' },
  ] as const;
  const counted = { characters: 12, spokenMs: 1_500, heardMs: 4_000, firstByteMs: [90, 210], finalMs: [350] };
  events.speechCounted(stt, counted);
  events.speechCounted(tts, counted);
  events.speechFailed(CALL, tts, { kind: 'out_of_funds', words: 'pay first' });
  events.speechReconnected(CALL, stt);
  events.queueFull('interim_results', 3);
  const samples = await linesOf(metrics, 'svc_speech_');
  expect(samples.filter((line) => !line.includes('_bucket'))).toEqual([
    'svc_speech_errors_total{service="tts",provider="openai",kind="out_of_funds"} 1',
    'svc_speech_reconnects_total{service="stt",provider="deepgram"} 1',
    'svc_speech_characters_total{provider="openai"} 12',
    'svc_speech_spoken_seconds_total{provider="openai"} 1.5',
    'svc_speech_heard_seconds_total{provider="deepgram"} 4',
    'svc_speech_first_byte_seconds_sum{provider="openai"} 0.3',
    'svc_speech_first_byte_seconds_count{provider="openai"} 2',
    'svc_speech_final_seconds_sum{provider="deepgram"} 0.35',
    'svc_speech_final_seconds_count{provider="deepgram"} 1',
  ]);
  expect(await linesOf(metrics, 'svc_queue_full_total')).toEqual([
    'svc_queue_full_total{queue="interim_results"} 3',
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { provider: 'openai', kind: 'out_of_funds', words: 'pay first' },
    { provider: 'deepgram' },
  ]);
});
