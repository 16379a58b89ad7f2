import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type ReadBridges, registerBridgeMetrics } from './bridge-metrics.ts';
import { type ReadEngine, registerEngineMetrics } from './engine-metrics.ts';
import { type ReadMcp, registerMcpMetrics } from './mcp-metrics.ts';
import { ModelMetrics } from './model-metrics.ts';
import { registerReadMetric, registerReadValue } from './read-metric.ts';
import { type AnsweredRequest, RequestTimes } from './request-times.ts';
import { SpeechMetrics } from './speech-metrics.ts';

const CALL_BUCKETS_S = [1, 5, 15, 30, 60, 180, 600, 1_800, 3_600, 14_400];
const SETUP_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60];

const SEND_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

/** Interval for sampling the event loop delay. Every sample wakes a thread that may otherwise be idle. */
const LOOP_LOOK_MS = 100;

/** Current number of live calls by state. */
export type ReadLiveCalls = () => ReadonlyMap<string, number>;

/** Current number of pending long-polls, and the total refused. */
export type ReadLongPolls = () => { readonly count: number; readonly refused: number };

/** Unread bytes of HTTP clients, and connections dropped because of them. */
export type ReadHttpPressure = () => {
  readonly unreadBytes: number;
  readonly droppedSlow: number;
  readonly droppedFull: number;
};

/** The Prometheus metrics of one gateway. Each has its own registry, because two gateways may share a process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly speech = new SpeechMetrics(this.#registry);
  readonly models = new ModelMetrics(this.#registry);
  readonly #requestTimes = new RequestTimes();
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
  readonly #queuesFull = this.#counter('svc_queue_full_total', 'Items refused because a queue was full', [
    'queue',
  ]);

  /** Also starts collecting process metrics: memory, CPU, event loop, garbage collection. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
    this.#requestTimes.register(this.#registry);
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

  sipEvent(event: string): void {
    this.#sipEvents.inc({ event });
  }

  messengerEvent(platform: string, event: string): void {
    this.#messengerEvents.inc({ platform, event });
  }

  fileEvent(event: string): void {
    this.#fileEvents.inc({ event });
  }

  /** Registers the gauge of disk space used by files. Call once. */
  watchFileBytes(read: () => number): void {
    registerReadValue(this.#registry, {
      name: 'svc_file_bytes',
      type: 'gauge',
      help: 'Disk space used by files, in bytes',
      value: read,
    });
  }

  /** Registers the gauge of live calls by state. Call once. */
  watchCalls(read: ReadLiveCalls): void {
    registerReadMetric(this.#registry, {
      name: 'svc_calls',
      type: 'gauge',
      help: 'Live calls',
      samples: () => Array.from(read(), ([state, value]) => ({ value, labels: { state } })),
    });
  }

  /** Registers the metrics of pending long-polls. Call once. */
  watchInbox(read: ReadLongPolls): void {
    registerReadValue(this.#registry, {
      name: 'svc_inbox_waiters',
      type: 'gauge',
      help: 'Pending long-polls',
      value: () => read().count,
    });
    registerReadValue(this.#registry, {
      name: 'svc_inbox_waiters_refused_total',
      type: 'counter',
      help: 'Long-polls refused at the limit',
      value: () => read().refused,
    });
  }

  /** Registers the metrics of unread bytes. Call once. */
  watchHttp(read: ReadHttpPressure): void {
    registerReadValue(this.#registry, {
      name: 'svc_http_waiting_bytes',
      type: 'gauge',
      help: 'Bytes of responses and WebSocket messages that clients have not read',
      value: () => read().unreadBytes,
    });
    registerReadMetric(this.#registry, {
      name: 'svc_http_dropped_connections_total',
      type: 'counter',
      help: 'Connections closed because the client did not read: for 10 s (slow), or while 64 MB in total were unread (full)',
      samples: () => {
        const { droppedSlow, droppedFull } = read();
        return [
          { value: droppedSlow, labels: { reason: 'slow' } },
          { value: droppedFull, labels: { reason: 'full' } },
        ];
      },
    });
  }

  /** Registers the metrics of the MCP server. Call once. */
  watchMcp(read: ReadMcp): void {
    registerMcpMetrics(this.#registry, read);
  }

  /** Registers a gauge of queued or running items. Call once per name. */
  watchQueue(name: string, help: string, read: () => number): void {
    registerReadValue(this.#registry, { name, help, type: 'gauge', value: read });
  }

  /** Registers the counter of connections refused for lack of file descriptors. Call once. */
  watchRefusedConnections(read: () => number): void {
    registerReadValue(this.#registry, {
      name: 'svc_connections_refused_total',
      type: 'counter',
      help: 'Connections refused for lack of file descriptors',
      value: read,
    });
  }

  /** Registers the metrics of the media engine. Call once. */
  watchEngine(read: ReadEngine): void {
    registerEngineMetrics(this.#registry, read);
  }

  /** Registers the metrics of the bridge threads. Call once. */
  watchBridges(read: ReadBridges): void {
    registerBridgeMetrics(this.#registry, read);
  }

  /** All metrics in Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
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
