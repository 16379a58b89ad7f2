import pino, { type DestinationStream, type Logger } from 'pino';

/** Memory that log lines may take while the terminal or pipe does not keep up; beyond it lines are dropped. */
const BACKLOG_BYTES = 8 * 1024 * 1024;

/** Fields that never reach a log, wherever they are in the first three levels of what is logged. */
const SECRET_FIELDS = [
  'password',
  'secret',
  'token',
  'cookie',
  'authorization',
  'Authorization',
  'apiKey',
  'api_key',
  'masterKey',
  'x-api-key',
  'X-API-Key',
];

const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => {
  const named = `["${field}"]`;
  return [named, `*${named}`, `*.*${named}`];
});

/** Keys in the midst of other text (URLs, error messages, headers): the pattern of ours, and credentials by name. */
const KEY_IN_TEXT = /svc_[\w-]{16,}/g;
const CREDENTIAL_IN_TEXT =
  /((?:api_key|x-api-key|authorization)\\?["']?\s*[=:]\s*\\?["']?)(?:(?:Bearer|Digest|Basic)\s+)?[^\s&"'\\,}]+/gi;

/** One logger for each part of the gateway. What people said or wrote, and their numbers, go under `personal` only. */
export interface Loggers {
  readonly main: Logger;
  readonly http: Logger;
  readonly accounts: Logger;
  readonly calls: Logger;
  readonly sip: Logger;
  readonly engine: Logger;
  readonly messaging: Logger;
  /** Writes what is still in memory; call it last. */
  flush(): void;
}

/** Loggers that write JSON lines to standard output without blocking on it, or to a stream of a test. */
export function openLoggers(level: string, stream?: DestinationStream): Loggers {
  const output = stream ? { stream, flush: () => {} } : standardOutput();
  const root = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      hooks: { streamWrite: withoutKeys },
    },
    output.stream,
  );
  const part = (name: string) => root.child({ part: name });
  return {
    main: part('main'),
    http: part('http'),
    accounts: part('accounts'),
    calls: part('calls'),
    sip: part('sip'),
    engine: part('engine'),
    messaging: part('messaging'),
    flush: output.flush,
  };
}

/** Where lines go, and how what is still in memory is written. */
interface Output {
  readonly stream: DestinationStream;
  readonly flush: () => void;
}

/**
 * What cannot be written (a full disk, a pipe that is gone) waits for the next line: to log that would fail as well.
 * Flushing would then wait for ever, and so would the end of the process; so it gives up what is left.
 */
function standardOutput(): Output {
  const stream = pino.destination({ fd: 1, sync: false, maxLength: BACKLOG_BYTES });
  let isFailing = false;
  stream.on('error', () => {
    isFailing = true;
  });
  stream.on('write', () => {
    isFailing = false;
  });
  return { stream, flush: () => (isFailing ? stream.destroy() : stream.flushSync()) };
}

function withoutKeys(line: string): string {
  return line.replace(KEY_IN_TEXT, 'svc_[redacted]').replace(CREDENTIAL_IN_TEXT, '$1[redacted]');
}
