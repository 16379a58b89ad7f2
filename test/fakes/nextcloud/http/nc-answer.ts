import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface NcAnswer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  /** None: an answer without a body. */
  readonly body?: Buffer | string;
}

export function jsonAnswer(status: number, data: unknown, headers: OutgoingHttpHeaders = {}): NcAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(data),
  };
}

/** An envelope of OCS, version 2: its status is that of HTTP, but for a few codes of its own. */
export function ocsAnswer(
  status: number,
  data: unknown,
  { message = '', code = status, headers = {} as OutgoingHttpHeaders } = {},
): NcAnswer {
  // PHP sends no body with it.
  if (status === 304) return { status };
  const isOk = status >= 200 && status < 300;
  const meta = { status: isOk ? 'ok' : 'failure', statuscode: code, message: isOk ? 'OK' : message };
  return jsonAnswer(status, { ocs: { meta, data } }, headers);
}

/** A refusal of OCS. */
export class OcsError extends Error {
  readonly answer: NcAnswer;
  /** Whether only a mistake of the client brings it about. */
  readonly isMistake: boolean;

  constructor(
    status: number,
    {
      data = [] as unknown,
      message = '',
      code = status,
      headers = {} as OutgoingHttpHeaders,
      isMistake = false,
    } = {},
  ) {
    super(message || `${status} ${JSON.stringify(data)}`);
    this.answer = ocsAnswer(status, data, { message, code, headers });
    this.isMistake = isMistake;
  }
}

/** A refusal with a body of its own. */
export class PlainError extends Error {
  readonly answer: NcAnswer;
  readonly isMistake: boolean;

  constructor(answer: NcAnswer, isMistake = false) {
    super(`${answer.status} ${String(answer.body ?? '')}`);
    this.answer = answer;
    this.isMistake = isMistake;
  }
}

/** Does nothing when the client is gone, or has its answer. */
export function send(response: ServerResponse, { status, headers = {}, body }: NcAnswer): void {
  if (response.destroyed || response.headersSent) return;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}
