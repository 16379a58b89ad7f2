import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import { sseEvent } from '../model-vendor/vendor-exchange.ts';
import type { LostTurn } from '../model-vendor/vendor-fault.ts';
import { apiError } from './anthropic-errors.ts';
import { readBody, SentEvents } from './anthropic-requests.ts';
import type { FakeSession } from './fake-session.ts';
import { nowIso, pageOf } from './stored-objects.ts';

/** Streams are kept alive by comments. */
const HEARTBEAT = ': ping\n\n';
const EVENT_PARAMETERS = ['order', 'types[]'];

/** Routes of one session; null: none of them. `rest`: the path after its id. */
export function sessionRoute(session: FakeSession, rest: string, call: VendorCall): VendorAnswer | null {
  switch (`${call.method} ${rest}`) {
    case 'GET ':
      return { body: sessionWire(session) };
    case 'POST /archive':
      session.archived_at = nowIso();
      return { body: sessionWire(session) };
    case 'GET /events':
      return { body: eventPage(session, call.query) };
    case 'POST /events':
      return send(session, call);
    case 'GET /events/stream':
      return stream(session, call);
    default:
      return null;
  }
}

/** Throws while the session is running. */
export function checkDeletable(session: FakeSession): void {
  if (session.status !== 'running' && session.deletesRefused === 0) return;
  session.deletesRefused = Math.max(0, session.deletesRefused - 1);
  throw apiError(400, `Session ${session.id} is running. Interrupt it before deleting it.`);
}

export function sessionWire({ id, status, archived_at, setup }: FakeSession): object {
  const { model, system, tools, servers } = setup;
  const agent = { model: { id: model }, system, tools, mcp_servers: servers };
  return { id, type: 'session', status, archived_at, agent, created_at: nowIso(), updated_at: nowIso() };
}

function eventPage({ log }: FakeSession, query: URLSearchParams): object {
  const types = query.getAll('types[]');
  const wanted = log.kept.filter(({ type }) => types.length === 0 || types.includes(type));
  return pageOf(query.get('order') === 'desc' ? wanted.toReversed() : wanted, query, EVENT_PARAMETERS);
}

function send(session: FakeSession, { body, lost }: VendorCall): VendorAnswer {
  const { events } = readBody(SentEvents, body);
  if (lost !== null) session.fate = lost;
  return { body: { data: session.take(events) } };
}

/** Has no end of its own, unless it is to be cut once the turn is answered. */
function stream(session: FakeSession, { query, signal, lost }: VendorCall): VendorAnswer {
  const unknown = [...query.keys()].find((name) => name !== 'event_deltas[]');
  if (unknown !== undefined) throw apiError(400, `${unknown}: Extra inputs are not permitted`);
  const hasDeltas = query.getAll('event_deltas[]').includes('agent.message');
  const events = session.log.follow(signal, (event) => isEnd(event, lost));
  return {
    stream: chunks(session, { events, hasDeltas, lost }),
    contentType: 'text/event-stream; charset=utf-8',
  };
}

function isEnd(event: object, lost: LostTurn | null): boolean {
  const isDeleted = 'type' in event && event.type === 'session.deleted';
  return isDeleted || (lost === 'answered' && 'stop_reason' in event);
}

interface StreamOptions {
  readonly events: AsyncIterable<object>;
  readonly hasDeltas: boolean;
  readonly lost: LostTurn | null;
}

async function* chunks(
  session: FakeSession,
  { events, hasDeltas, lost }: StreamOptions,
): AsyncGenerator<string, void> {
  yield HEARTBEAT;
  // Of the turn that the stream was opened for.
  if (lost !== null) session.fate = lost;
  for await (const event of events) {
    const type = 'type' in event ? String(event.type) : '';
    const isDelta = type === 'event_start' || type === 'event_delta';
    if (hasDeltas || !isDelta) yield sseEvent(type, event);
  }
}
