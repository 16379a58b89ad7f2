import { signal } from '@preact/signals';
import { texts } from '../texts.ts';
import type { AnswerOf, Endpoint } from './answers.ts';

/** The URL of the gateway, with the path under which it is served: this script is below `/dashboard/assets/`. */
export const BASE = new URL('../..', import.meta.url);

/** The path of the gateway, without a trailing slash. */
export const BASE_PATH = BASE.pathname.replace(/\/$/, '');

/** Counts refusals of the session: whoever shows what needs one asks anew. */
export const signedOut = signal(0);

/** The gateway does not answer. */
export const isOffline = signal(false);

/** Counts what this page has changed: everything shown is read again then. */
export const changes = signal(0);

/** A refusal of these is no news. */
const ASKED_WITHOUT_SESSION: ReadonlySet<string> = new Set(['POST /auth/login', 'GET /api/account']);

const DEADLINE_MS = 60_000;

export interface Fault {
  /** Name of the field; '' if the fault is of none. */
  readonly field: string;
  readonly text: string;
}

/** A refusal, with the gateway's own words. */
export class ApiError extends Error {
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string;
  readonly faults: readonly Fault[];
  /** What to do about a platform's refusal, if the gateway knows. */
  readonly suggestion: string | null;

  constructor(status: number, body: ErrorBody) {
    const faults = Array.isArray(body.detail) ? body.detail.map(faultOf) : [];
    super(typeof body.detail === 'string' ? body.detail : faults.map(({ text }) => text).join('. '));
    this.status = status;
    this.code = body.code ?? '';
    this.faults = faults;
    this.suggestion = body.suggestion ?? null;
  }
}

interface ErrorBody {
  readonly detail: string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[];
  readonly code?: string;
  readonly suggestion?: string;
}

function faultOf({ loc, msg }: { readonly loc: readonly (string | number)[]; readonly msg: string }): Fault {
  const field = loc.slice(1).join('.');
  return { field, text: field === '' ? msg : `${field}: ${msg}` };
}

/** What is sent along: it fills the braces of the path; the rest is the query of a GET, and the body of others. */
export type Values = Readonly<Record<string, unknown>>;

/** Asks the gateway, as the signed-in person. Throws ApiError. */
export async function ask<E extends Endpoint>(
  endpoint: E,
  values: Values = {},
  aborted?: AbortSignal,
): Promise<AnswerOf<E>> {
  const [method = '', path = ''] = endpoint.split(' ');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`${values[name]}`));
  const rest = Object.entries(values).filter(([name]) => !path.includes(`{${name}}`));
  const url = new URL(`${BASE_PATH}${filled}`, BASE);
  if (method === 'GET') for (const [name, value] of rest) url.searchParams.set(name, `${value}`);
  const body = JSON.stringify(Object.fromEntries(rest));
  const answer = await send(url, {
    method,
    signal: AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(aborted ? [aborted] : [])]),
    ...(method !== 'GET' && { headers: { 'Content-Type': 'application/json' }, body }),
  });
  const read: unknown = await answer.json().catch(() => null);
  if (answer.ok || endpoint === 'GET /readyz') {
    if (method !== 'GET') changes.value += 1;
    return read as AnswerOf<E>;
  }
  if (answer.status === 401 && !ASKED_WITHOUT_SESSION.has(endpoint)) signedOut.value += 1;
  throw new ApiError(answer.status, (read as ErrorBody | null) ?? { detail: answer.statusText });
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(url, init);
    isOffline.value = false;
    return answer;
  } catch (error) {
    if (init.signal?.aborted !== true) isOffline.value = true;
    throw new ApiError(0, { detail: texts.noAnswer, code: (error as Error).name });
  }
}

/** The URL of a WebSocket of the gateway. */
export function socketUrl(path: string): URL {
  const url = new URL(`${BASE_PATH}${path}`, BASE);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
