import pino, { type DestinationStream, type Logger } from 'pino';
import { LogTail } from './log-tail.ts';

/** Memory for log lines while the terminal or pipe is too slow. Lines beyond it are dropped. */
const BACKLOG_BYTES = 8 * 1024 * 1024;
/**
 * Lines are written together after this time, or once there are so many: each write wakes another thread, and one for each
 * line took a sixth of what it costs to set a call up.
 */
const GATHER_MS = 50;
const GATHER_BYTES = 8 * 1024;

/** Fields that are redacted in the first three levels of a logged object. */
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

/**
 * Credentials inside other text (URLs, error messages, headers): the gateway's own keys by their format, others by
 * name.
 */
const KEY_IN_TEXT = /svc_[\w-]{16,}/g;
const CREDENTIAL_IN_TEXT =
  /((?:api_key|x-api-key|authorization)\\?["']?\s*[=:]\s*\\?["']?)(?:(?:Bearer|Digest|Basic)\s+)?[^\s&"'\\,}]+/gi;

/**
 * One logger per part of the gateway. What users said or wrote, and their numbers, may appear only under `personal`.
 */
export interface Loggers {
  readonly main: Logger;
  readonly http: Logger;
  readonly accounts: Logger;
  readonly calls: Logger;
  readonly sip: Logger;
  readonly engine: Logger;
  readonly bridge: Logger;
  readonly messaging: Logger;
  readonly models: Logger;
  readonly tail: LogTail;
  /** Writes buffered lines. Must be called last. */
  flush(): void;
}

/** Opens loggers that write JSON lines to standard output without blocking, or to `stream` in tests. */
export function openLoggers(level: string, stream?: DestinationStream): Loggers {
  const output = stream ? { stream, flush: () => {} } : standardOutput();
  const tail = new LogTail();
  const root = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
      hooks: {
        streamWrite: (line) => {
          const clean = withoutKeys(line);
          tail.add(clean);
          return clean;
        },
      },
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
    bridge: part('bridge'),
    messaging: part('messaging'),
    models: part('models'),
    tail,
    flush: output.flush,
  };
}

/** The output stream and a function that writes its buffered lines. */
interface Output {
  readonly stream: DestinationStream;
  readonly flush: () => void;
}

/**
 * Lines that cannot be written (full disk, closed pipe) are kept until the next line, since logging the error would
 * fail too. A flush would then block forever and keep the process from ending, so it drops the rest.
 */
function standardOutput(): Output {
  const stream = pino.destination({ fd: 1, sync: false, minLength: GATHER_BYTES, maxLength: BACKLOG_BYTES });
  let isFailing = false;
  let isGathering = false;
  stream.on('error', () => {
    isFailing = true;
  });
  stream.on('write', () => {
    isFailing = false;
  });
  const write = (line: string): void => {
    stream.write(line);
    if (isGathering) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      stream.flush();
    }, GATHER_MS).unref();
  };
  return { stream: { write }, flush: () => (isFailing ? stream.destroy() : stream.flushSync()) };
}

function withoutKeys(line: string): string {
  return line.replace(KEY_IN_TEXT, 'svc_[redacted]').replace(CREDENTIAL_IN_TEXT, '$1[redacted]');
}
