import { setImmediate as turn } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { ShareReading } from '../base/fair-share.ts';
import { type EngineReading, registerEngineMetrics } from './engine-metrics.ts';
import { ReadMetrics, type Sample } from './read-metric.ts';
import { type AnsweredRequest, RequestTimes } from './request-times.ts';
import { SpeechMetrics } from './speech-metrics.ts';
import { TurnTimes } from './turn-times.ts';

/** Rendered in one turn of the event loop. */
const MOST_AT_ONCE_MS = 2;
const CALL_BUCKETS_S = [1, 5, 15, 30, 60, 180, 600, 1_800, 3_600, 14_400];
const SETUP_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];
const TURN_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const SEND_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

/** Interval for sampling the event loop delay. Every sample wakes a thread that may otherwise be idle. */
const LOOP_LOOK_MS = 100;

/** Unread bytes of HTTP clients, and connections dropped because of them or of a body in too many pieces. */
interface HttpPressure {
  readonly unreadBytes: number;
  readonly droppedSlow: number;
  readonly droppedFull: number;
  readonly droppedFragmented: number;
}

/** Figures of the MCP server. */
interface McpReading {
  /** Open sessions. */
  readonly sessions: number;
  /** Requests answered outside sessions, by the fast path and by the SDK. */
  readonly fast: number;
  readonly sdk: number;
  /** Sessions refused at the limit. */
  readonly refused: number;
  /** Streams refused at the limit. */
  readonly streamsRefused: number;
  /** Ended sessions by reason. */
  readonly ended: ReadonlyMap<string, number>;
}

/** Figures of the bridge threads, read when the metrics are rendered. All but the first two are running totals. */
interface BridgeReading {
  readonly threads: number;
  /** Transports that take up a place on a thread. */
  readonly transports: number;
  /** Of those, and of those that wait for a thread: they are not open yet. */
  readonly opening: number;
  /** Signals dropped because the main thread was behind. */
  readonly droppedSignals: number;
  /** Transports that lost their thread and were placed on another one. */
  readonly resumedTransports: number;
  /** Transports that lost their thread and are gone. */
  readonly lostTransports: number;
}

/** The Prometheus metrics of one gateway. Each has its own registry, because two gateways may share a process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #read = new ReadMetrics(this.#registry);
  readonly speech = new SpeechMetrics(this.#registry);
  readonly turns = new TurnTimes(this.#registry);
  readonly #requestTimes = new RequestTimes();
  readonly #shares = new Map<string, ShareReading>();
  readonly #callsStarted = this.#counter('svc_calls_started_total', 'Started calls', [
    'platform',
    'direction',
  ]);
  readonly #callsEnded = this.#counter('svc_calls_ended_total', 'Ended calls', [
    'platform',
    'state',
    'result',
  ]);
  readonly #setupSeconds = this.#histogram(
    'svc_call_setup_duration_seconds',
    'Time from the start of a call until media flowed both ways',
    ['platform', 'direction'],
    SETUP_BUCKETS_S,
  );
  readonly #callSeconds = this.#histogram(
    'svc_call_duration_seconds',
    'Time from the start of a call to its end',
    ['platform'],
    CALL_BUCKETS_S,
  );
  readonly #streamErrors = this.#counter('svc_stream_errors_total', 'call_error sent on call WebSockets', [
    'code',
  ]);
  readonly #fileEvents = this.#counter('svc_file_events_total', 'File events', ['event']);
  readonly #sipEvents = this.#counter('svc_sip_events_total', 'Events of SIP signaling other than calls', [
    'event',
  ]);

  readonly #messengerEvents = this.#counter(
    'svc_messenger_events_total',
    'Events of chat platforms other than messages',
    ['platform', 'event'],
  );
  readonly #messagesSent = this.#counter(
    'svc_messages_sent_total',
    'Outbound direct messages with a final result',
    ['platform', 'result'],
  );
  readonly #sendSeconds = this.#histogram(
    'svc_message_send_duration_seconds',
    'Time from the first attempt to send a message until the platform accepted or refused it',
    ['platform'],
    SEND_BUCKETS_S,
  );
  /** Labels of models are those of OpenTelemetry's conventions where it has some. */
  readonly #turnSeconds = this.#histogram(
    'svc_model_turn_duration_seconds',
    'Time from the start of a turn of a model until its actions were carried out or it failed',
    ['provider', 'error_type'],
    TURN_BUCKETS_S,
  );
  readonly #tokens = this.#counter('svc_model_tokens_total', 'Tokens as the provider counts them', [
    'provider',
    'token_type',
  ]);
  readonly #refusedActions = this.#counter(
    'svc_model_refused_actions_total',
    'What models asked for and the policies of their agents do not have',
    ['action'],
  );
  readonly #loopsStopped = this.#counter(
    'svc_model_loops_total',
    'Conversations in which a model stopped because a machine answered it',
    [],
  );
  readonly #budgetsUsed = this.#counter(
    'svc_budgets_used_total',
    'Budgets of which this many percent were used, once per hour or day',
    ['resource', 'percent'],
  );
  readonly #queuesFull = this.#counter('svc_queue_full_total', 'Items refused because a queue was full', [
    'queue',
  ]);

  /** Also starts collecting process metrics: memory, CPU, event loop, garbage collection. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
    this.#requestTimes.register(this.#read);
    const of = (read: (share: ShareReading) => number) => () =>
      Array.from(this.#shares, ([resource, share]) => [resource, read(share)] as const);
    const taken = of((share) => share.taken);
    const waiting = of((share) => share.waiting);
    const refused = of((share) => share.refused);
    this.#read.gauges('svc_shared_in_use', 'What accounts share: places in use', 'resource', taken);
    this.#read.gauges('svc_shared_waiting', 'What accounts share: waits for a place', 'resource', waiting);
    const help = 'What accounts share: waits that ended without a place';
    this.#read.counters('svc_shared_refused_total', help, 'resource', refused);
  }

  requestAnswered(answered: AnsweredRequest): void {
    this.#requestTimes.count(answered);
  }

  callStarted(platform: string, direction: string): void {
    this.#callsStarted.inc({ platform, direction });
  }

  callAnswered(platform: string, direction: string, setupMs: number): void {
    this.#setupSeconds.observe({ platform, direction }, setupMs / 1000);
  }

  callEnded(platform: string, state: string, result: string, lastedMs: number): void {
    this.#callsEnded.inc({ platform, state, result });
    this.#callSeconds.observe({ platform }, lastedMs / 1000);
  }

  streamError(code: string): void {
    this.#streamErrors.inc({ code });
  }

  messageSettled(platform: string, result: string, lastedMs: number): void {
    this.#messagesSent.inc({ platform, result });
    this.#sendSeconds.observe({ platform }, lastedMs / 1000);
  }

  queueFull(queue: string, items = 1): void {
    this.#queuesFull.inc({ queue }, items);
  }

  loopStopped(): void {
    this.#loopsStopped.inc({});
  }

  budgetUsed(resource: string, percent: number): void {
    this.#budgetsUsed.inc({ resource, percent });
  }

  /** `errorType` is empty for a turn that did not fail. */
  turnEnded(provider: string, errorType: string, lastedMs: number): void {
    this.#turnSeconds.observe({ provider, error_type: errorType }, lastedMs / 1000);
  }

  tokensUsed(provider: string, inputTokens: number | null, outputTokens: number | null): void {
    this.#tokens.inc({ provider, token_type: 'input' }, inputTokens ?? 0);
    this.#tokens.inc({ provider, token_type: 'output' }, outputTokens ?? 0);
  }

  modelRefused(action: string): void {
    this.#refusedActions.inc({ action });
  }

  sipEvent(event: string): void {
    this.#sipEvents.inc({ event });
  }

  messengerEvent(platform: string, event: string): void {
    this.#messengerEvents.inc({ platform, event });
  }

  fileEvent(event: string): void {
    this.#fileEvents.inc({ event });
  }

  /** Registers the gauge of disk space used by files. Call each of these once. */
  watchFileBytes(read: () => number): void {
    this.#read.gauge('svc_file_bytes', 'Disk space used by files, in bytes', read);
  }

  /** Registers whether voices are told from other sounds by the neural network, or by their spectrum alone. */
  watchVoices(isNeural: boolean): void {
    const help = '1 if a neural network tells voices from other sounds, 0 without it';
    this.#read.gauge('svc_speech_neural_detection', help, () => (isNeural ? 1 : 0));
  }

  /** Registers the gauge of live calls by state. */
  watchCalls(read: () => ReadonlyMap<string, number>): void {
    this.#read.gauges('svc_calls', 'Live calls', 'state', read);
  }

  /** Registers the metrics of pending long-polls: their number, and the total refused. */
  watchInbox(read: () => { readonly count: number; readonly refused: number }): void {
    this.#read.gauge('svc_inbox_waiters', 'Pending long-polls', () => read().count);
    const refused = 'Long-polls refused at the limit';
    this.#read.counter('svc_inbox_waiters_refused_total', refused, () => read().refused);
  }

  watchHttp(read: () => HttpPressure): void {
    this.#read.gauge(
      'svc_http_waiting_bytes',
      'Bytes of responses and WebSocket messages that clients have not read',
      () => read().unreadBytes,
    );
    this.#read.counters(
      'svc_http_dropped_connections_total',
      'Connections closed because the client did not read: for 10 s (slow), or while 64 MB in total were unread (full); or sent a body in too many pieces (fragmented)',
      'reason',
      () => {
        const { droppedSlow: slow, droppedFull: full, droppedFragmented: fragmented } = read();
        return Object.entries({ slow, full, fragmented });
      },
    );
  }

  /** Registers the counter of WebSockets closed because their client sent too much, by what it sent last. */
  watchSocketClosings(read: () => ReadonlyMap<string, number>): void {
    const help = 'WebSockets closed with 1008 because the client sent too much, by what it sent last';
    this.#read.counters('svc_socket_closings_total', help, 'reason', read);
  }

  /** Registers the figures of stream threads. */
  watchStreamThreads(
    read: () => { threads: number; sockets: number; lost: number; cpuSeconds: number },
  ): void {
    const metrics = this.#read;
    metrics.gauge('svc_stream_threads', 'Running threads of call WebSockets', () => read().threads);
    const sockets = 'Call WebSockets on threads of their own';
    metrics.gauge('svc_stream_thread_sockets', sockets, () => read().sockets);
    const cpu = 'CPU time of the threads of call WebSockets';
    metrics.counter('svc_stream_threads_cpu_seconds_total', cpu, () => read().cpuSeconds);
    const lost = 'Threads of call WebSockets that were lost, with their connections';
    metrics.counter('svc_stream_threads_lost_total', lost, () => read().lost);
  }

  watchMcp(read: () => McpReading): void {
    const metrics = this.#read;
    metrics.gauge('svc_mcp_sessions', 'Open MCP sessions', () => read().sessions);
    const ended = 'Ended MCP sessions, by reason';
    metrics.counters('svc_mcp_sessions_ended_total', ended, 'reason', () => read().ended);
    const refused = 'MCP sessions refused at the limit';
    metrics.counter('svc_mcp_sessions_refused_total', refused, () => read().refused);
    const streams = 'MCP streams refused at the limit';
    metrics.counter('svc_mcp_streams_refused_total', streams, () => read().streamsRefused);
    const answers = 'MCP requests outside sessions, answered by the fast path or by the SDK';
    metrics.counters('svc_mcp_answers_total', answers, 'by', () =>
      Object.entries({ fast_path: read().fast, sdk: read().sdk }),
    );
  }

  /** Registers the counter of what accounts could not store. */
  watchRefusedWrites(read: () => Readonly<Record<string, number>>): void {
    const help =
      'What was not stored: an account is full, its reserve for what others send is full, or it writes too fast';
    this.#read.counters('svc_account_writes_refused_total', help, 'reason', () => Object.entries(read()));
  }

  /** Adds something that accounts share to the metrics of shares. */
  watchShare(resource: string, share: ShareReading): void {
    this.#shares.set(resource, share);
  }

  /** Registers what calls are admitted by: readings of gauges as parts of what there is, and the calls refused. */
  watchAdmission(admission: { readonly levels: [string, number][]; readonly refused: number }): void {
    const help = 'Part in use of what calls need, by which they are admitted';
    this.#read.gauges('svc_load', help, 'of', () => admission.levels);
    const refused = 'Calls refused because the machine could not carry them';
    this.#read.counter('svc_calls_refused_total', refused, () => admission.refused);
  }

  /** Registers a gauge of queued or running items. */
  watchQueue(name: string, help: string, read: () => number): void {
    this.#read.gauge(name, help, read);
  }

  /** Registers the counter of connections refused for lack of file descriptors. */
  watchRefusedConnections(read: () => number): void {
    const help = 'Connections refused for lack of file descriptors';
    this.#read.counter('svc_connections_refused_total', help, read);
  }

  /** Registers the counter of connections refused because their network has as many as one may have. */
  watchNetworkConnections(read: () => number): void {
    const help = 'Connections refused because their network has as many as one may have';
    this.#read.counter('svc_network_connections_refused_total', help, read);
  }

  watchEngine(read: () => EngineReading): void {
    registerEngineMetrics(this.#read, read);
  }

  watchBridges(read: () => BridgeReading): void {
    const metrics = this.#read;
    metrics.gauge('svc_bridge_threads', 'Running bridge threads', () => read().threads);
    metrics.gauge('svc_bridge_transports', 'Transports on bridge threads', () => read().transports);
    metrics.gauge('svc_bridge_opening', 'Transports that are not open yet', () => read().opening);
    const dropped = 'Signals of transports that were dropped because the main thread was behind';
    metrics.counter('svc_bridge_dropped_signals_total', dropped, () => read().droppedSignals);
    const losses = 'Transports that lost their bridge thread: resumed on another one, or gone';
    metrics.counters('svc_bridge_thread_losses_total', losses, 'outcome', () =>
      Object.entries({ resumed: read().resumedTransports, gone: read().lostTransports }),
    );
  }

  /** All metrics in Prometheus text format. Thousands of series take 30 ms, so others get their turn in between. */
  async text(): Promise<string> {
    const texts: string[] = [];
    let sinceMs = performance.now();
    for (const { name } of this.#registry.getMetricsAsArray()) {
      texts.push(await this.#registry.getSingleMetricAsString(name));
      if (performance.now() - sinceMs < MOST_AT_ONCE_MS) continue;
      await turn();
      sinceMs = performance.now();
    }
    return `${texts.join('\n\n')}\n`;
  }

  /** The sum over all labels of a metric, or of what `_sum` or `_count` tell of a histogram; 0 if there is none. */
  async sumOf(name: string): Promise<number> {
    const metric = this.#registry.getSingleMetric(name.replace(/_(sum|count)$/, ''));
    const { values = [] } = (await metric?.get()) ?? {};
    let sum = 0;
    for (const { value, metricName = name } of values as readonly Sample[])
      if (metricName === name) sum += value;
    return sum;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }
}
