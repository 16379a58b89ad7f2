import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpAnswers } from './http-answers.ts';

/** The outcome of sending some bytes on a connection of their own. */
export interface HttpOutcome {
  /** Of all answers to them, in order. */
  readonly statuses: readonly number[];
  /** Whether the server closed the connection. */
  readonly isClosed: boolean;
  /** Whether a good request behind them on the same connection was answered. */
  readonly isInStep: boolean;
  /** Received bytes that are not an answer; empty: none. */
  readonly garbage: string;
}

/** So that two pieces are two reads of the server. */
const BETWEEN_PIECES_MS = 1;
/** Longer than an answer takes on a machine that does other things; only unfinished requests wait so long. */
const SILENCE_MS = 250;
/** A second answer follows the first at once. */
const SECOND_ANSWER_MS = 40;
const PROBE_ID = 'probe-behind-it';
const PROBE = `GET /healthz HTTP/1.1\r\nHost: gateway\r\nX-Request-Id: ${PROBE_ID}\r\n\r\n`;

/** How bytes are sent. */
export interface ExchangeOptions {
  /** Longest silence before it is taken for the end. */
  readonly silenceMs?: number;
  /** Whether a good request follows them, which an unfinished request would take for its own body. */
  readonly isProbed: boolean;
}

/** Sends pieces one after the other, then a good request; counts what is answered to the pieces. */
export async function exchange(
  port: number,
  pieces: readonly Buffer[],
  { silenceMs = SILENCE_MS, isProbed }: ExchangeOptions,
): Promise<HttpOutcome> {
  const isHead = Buffer.concat(pieces).toString('latin1', 0, 5) === 'HEAD ';
  const answers = new HttpAnswers((index) => isHead && index === 0);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let isClosed = false;
  let wake = (): void => {};
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    answers.push(bytes);
    wake();
  });
  for (const event of ['end', 'close'])
    socket.on(event, () => {
      isClosed = true;
      wake();
    });
  const settled = async (isDone: () => boolean): Promise<void> => {
    const untilMs = performance.now() + silenceMs;
    while (!isDone() && !isClosed && answers.garbage === '' && performance.now() < untilMs)
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(silenceMs / 4)]);
  };
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await pause(BETWEEN_PIECES_MS);
    if (!isClosed) socket.write(piece);
  }
  await settled(() => answers.all.length > 0);
  if (!isClosed && answers.all.length > 0 && isProbed) {
    socket.write(PROBE);
    await settled(() => answers.all.some(({ requestId }) => requestId === PROBE_ID));
  } else if (!isClosed) {
    for (let known = -1; known < answers.all.length; ) {
      known = answers.all.length;
      const more = known + 1;
      await Promise.race([settled(() => answers.all.length >= more), pause(SECOND_ANSWER_MS)]);
    }
    // A server that refuses closes the connection once the refusal is read.
    if (answers.all.at(-1)?.status === 400) await settled(() => isClosed);
  }
  socket.destroy();
  const own = answers.all.filter(({ requestId }) => requestId !== PROBE_ID);
  return {
    statuses: own.map(({ status }) => status),
    isClosed,
    isInStep: own.length < answers.all.length,
    garbage: answers.garbage,
  };
}

/** A short form of the outcome, by which servers are compared. */
export function describeOutcome({ statuses, isClosed, isInStep, garbage }: HttpOutcome): string {
  if (garbage !== '') return `garbage: ${garbage}`;
  const said = statuses.length === 0 ? 'nothing' : statuses.join(' + ');
  return isClosed ? `${said}, closed` : isInStep ? said : `${said}, waits`;
}
