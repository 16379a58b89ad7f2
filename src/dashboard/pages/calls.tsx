import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Call } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, Dialog } from '../parts/action.tsx';
import { Badge, CallBadge } from '../parts/badge.tsx';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Choice, Field, Form } from '../parts/form.tsx';
import { Card, ErrorNote, Loaded, PageHead, Row, Rows } from '../parts/layout.tsx';
import { Level } from '../parts/level.tsx';
import { Duration, Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';
import { otherSide } from './call/facts.tsx';

const t = texts.calls;

/** Those that change what a list of calls shows. */
export const LIST_EVENTS = ['call_invite', 'call_state', 'call_error', 'call_waiting'] as const;

/** The live calls, and a new one. */
export function CallsPage() {
  const calls = useAnswer('GET /api/calls', {}, { on: LIST_EVENTS, everyMs: 10_000 });
  const [isPlacing, setPlacing] = useState(false);
  return (
    <>
      <PageHead title={texts.nav.calls}>
        <button type="button" class="primary" onClick={() => setPlacing(true)}>
          {t.place}
        </button>
      </PageHead>
      {isPlacing && <PlaceCall onClose={() => setPlacing(false)} />}
      <Card title={t.live}>
        <Loaded answer={calls}>{(data) => <CallRows calls={data.calls} />}</Loaded>
      </Card>
      <History />
    </>
  );
}

/** The newest first. */
export function CallRows({ calls }: { readonly calls: readonly Call[] }) {
  return (
    <Rows of={[...calls].reverse()} none={t.none} class="long">
      {(call) => (
        <Row
          key={call.call_id}
          title={otherSide(call)}
          href={`/calls/${call.call_id}`}
          note={
            <>
              {texts.platforms[call.platform]} · {t.directions[call.direction]} ·{' '}
              <Moment iso={call.created_at} />
            </>
          }
        >
          {call.state === 'active' && <CallLevels callId={call.call_id} />}
          <Duration from={call.created_at} to={call.ended_at} />
          <CallBadge state={call.state} />
          {call.state === 'ringing' && call.direction === 'inbound' && <Answering callId={call.call_id} />}
        </Row>
      )}
    </Rows>
  );
}

const LEVELS_MS = 1_000;

/** How loud both sides of a call are; read only while it can be seen. */
function CallLevels({ callId }: { readonly callId: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setSeen(entry!.isIntersecting));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  const freshness = { everyMs: LEVELS_MS, off: !isSeen };
  const { data } = useAnswer('GET /api/call/{call_id}/audio', { params: { call_id: callId } }, freshness);
  return (
    <span ref={place} class="levels">
      <Level label={t.levels[0]} level={data?.received.level ?? 0} />
      <Level label={t.levels[1]} level={data?.sent.level ?? 0} />
    </span>
  );
}

/** The buttons of a ringing call. */
export function Answering({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  return (
    <span class="row">
      <Action class="primary" run={() => ask('POST /api/call/{call_id}/accept', { params })}>
        {t.accept}
      </Action>
      <Action class="danger" run={() => ask('POST /api/call/{call_id}/refuse', { params })}>
        {t.refuse}
      </Action>
    </span>
  );
}

function PlaceCall({ onClose }: { onClose(): void }) {
  const [, navigate] = useLocation();
  const draft = useDraft({ platform: 'sip', meeting_url: '' });
  const submit = async (): Promise<void> => {
    const call = await ask('POST /api/call', { body: valuesOf(draft) });
    navigate(`/calls/${call.call_id}`);
  };
  return (
    <Dialog title={t.place} onClose={onClose}>
      <Form submit={submit} action={t.place} onCancel={onClose}>
        <Choice label={t.platform} of={draft.platform} options={t.callable} />
        <Field
          label={t.target}
          hint={t.targetHint}
          of={draft.meeting_url}
          maxLength={2048}
          autocomplete="off"
        />
      </Form>
    </Dialog>
  );
}

/** Nobody is asked for each letter. */
const TYPING_MS = 300;

/** The calls that are over, newest first, with filters. */
export function History() {
  const draft = useDraft({ search: '', platform: '', result: '' });
  const [search, setSearch] = useState('');
  const { search: typed, ...chosen } = valuesOf(draft);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = { state: 'ended', search, ...chosen };
  return (
    <Card title={t.past}>
      <div class="grid">
        <Field label={t.search} type="search" of={draft.search} maxLength={200} />
        <Choice label={t.platform} of={draft.platform} options={[['', t.all], ...t.callable]} />
        <Choice label={t.result} of={draft.result} options={[['', t.all], ...Object.entries(t.results)]} />
      </div>
      <Pages key={JSON.stringify(query)} query={query} />
    </Card>
  );
}

/** The newest calls, which are read again when one ends, and the older ones that were asked for. */
function Pages({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const first = useAnswer('GET /api/calls', { query }, { on: ['call_state', 'call_error'] });
  const [older, setOlder] = useState<readonly Call[]>([]);
  const [cursor, setCursor] = useState<string | null>();
  if (first.data === undefined)
    return first.error ? <ErrorNote error={first.error} /> : <p>{texts.loading}</p>;
  const next = cursor === undefined ? first.data.next_cursor : cursor;
  const more = async (): Promise<void> => {
    const page = await ask('GET /api/calls', { query: { ...query, cursor: next ?? '' } });
    setOlder([...older, ...page.calls]);
    setCursor(page.next_cursor ?? null);
  };
  const known = new Set(first.data.calls.map(({ call_id: id }) => id));
  return (
    <>
      <Rows
        of={[...first.data.calls, ...older.filter(({ call_id: id }) => !known.has(id))]}
        none={t.noPast}
        class="long"
      >
        {(call) => <PastRow key={call.call_id} {...call} />}
      </Rows>
      {next && <Action run={more}>{texts.more}</Action>}
    </>
  );
}

function PastRow(call: Call) {
  const {
    call_id: id,
    platform,
    direction,
    created_at: from,
    answered_at: answered,
    ended_at: to,
    termination,
  } = call;
  return (
    <Row
      title={otherSide(call)}
      href={`/calls/${id}`}
      note={
        <>
          {texts.platforms[platform]} · {t.directions[direction]} · <Moment iso={from} />
        </>
      }
    >
      {answered && <Duration from={answered} to={to} />}
      {termination && (
        <Badge tone={termination.result === 'completed' ? 'plain' : 'warn'}>
          {t.results[termination.result]}
        </Badge>
      )}
    </Row>
  );
}
