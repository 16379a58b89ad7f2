import type { ComponentChildren, TargetedEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Call } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action, DialogButton } from '../parts/button.tsx';
import { type Body, bodyOf } from '../parts/field.ts';
import { Form, Inputs } from '../parts/form.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { List, Row } from '../parts/list.tsx';
import { useSeen } from '../parts/seen.ts';
import { Duration, Level, Moment, State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { t } from './calls.texts.ts';

/** Who or what the call is with. */
export function otherSide({ direction, caller, meeting_url: url }: Call): string {
  return (direction === 'inbound' ? caller : url) || t.unknown;
}

/** The calls, and a new one. */
export function CallsPage() {
  return (
    <>
      <PageHead title={texts.pages.calls}>
        <DialogButton title={t.place} class="primary">
          {(close) => <PlaceCall onCancel={close} />}
        </DialogButton>
      </PageHead>
      <LiveCalls />
      <History />
    </>
  );
}

/** The newest first. */
export function LiveCalls() {
  return (
    <Card title={t.live}>
      <List
        from="GET /api/calls"
        on={['call_invite', 'call_state', 'call_error', 'call_waiting']}
        everyMs={10_000}
        of={({ calls }) => calls.toReversed()}
        by="call_id"
        none={t.none}
      >
        {(call) => (
          <CallRow call={call}>
            {call.state === 'active' && <CallLevels callId={call.call_id} />}
            <Duration from={call.created_at} to={call.ended_at} />
            <State of={call.state} />
            <Answering {...call} />
          </CallRow>
        )}
      </List>
    </Card>
  );
}

function CallRow({ call, children }: { readonly call: Call; readonly children: ComponentChildren }) {
  const note = (
    <>
      {texts.platforms[call.platform]} · {t.directions[call.direction]} · <Moment iso={call.created_at} />
    </>
  );
  return (
    <Row title={otherSide(call)} href={`/calls/${call.call_id}`} note={note}>
      {children}
    </Row>
  );
}

const LEVELS_MS = 1_000;

/** How loud both sides of a call are; read only while it can be seen. */
function CallLevels({ callId: call_id }: { readonly callId: string }) {
  const [place, isSeen] = useSeen<HTMLSpanElement>();
  const when = { everyMs: LEVELS_MS, off: !isSeen };
  const { data } = useAnswer('GET /api/call/{call_id}/audio', { call_id }, when);
  return (
    <span ref={place} class="levels">
      <Level label={t.levels[0]} level={data?.received.level ?? 0} />
      <Level label={t.levels[1]} level={data?.sent.level ?? 0} />
    </span>
  );
}

/** The buttons of a call while it rings here. */
export function Answering({ call_id, state, direction }: Call) {
  if (state !== 'ringing' || direction !== 'inbound') return null;
  const accept = () => ask('POST /api/call/{call_id}/accept', { call_id });
  const refuse = () => ask('POST /api/call/{call_id}/refuse', { call_id });
  return (
    <span class="row">
      <Action class="primary" run={accept} name={t.accept} />
      <Action class="danger" run={refuse} name={t.refuse} />
    </span>
  );
}

function PlaceCall({ onCancel }: { onCancel(): void }) {
  const [, navigate] = useLocation();
  const place = async (body: Body): Promise<void> =>
    navigate(`/calls/${(await ask('POST /api/call', body)).call_id}`);
  return <Form fields={t.target} advanced={t.handling} submit={place} action={t.place} onCancel={onCancel} />;
}

/** Nobody is asked for each letter. */
const TYPING_MS = 300;

/** The calls that are over, newest first, with filters. */
function History() {
  const [chosen, choose] = useState<Body>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const filter = ({ currentTarget: form }: TargetedEvent<HTMLFormElement>): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => choose(bodyOf(form, t.filters, {}, true)), TYPING_MS);
  };
  return (
    <Card title={t.past}>
      <form class="grid" onInput={filter} onSubmit={(event) => event.preventDefault()}>
        <Inputs of={t.filters} />
      </form>
      <List
        key={JSON.stringify(chosen)}
        from="GET /api/calls"
        with={{ state: 'ended', ...chosen }}
        on={['call_state', 'call_error']}
        of={({ calls }) => calls}
        by="call_id"
        next={({ next_cursor: cursor }) => (cursor ? { cursor } : null)}
        none={t.noPast}
      >
        {(call) => (
          <CallRow call={call}>
            {call.answered_at && <Duration from={call.answered_at} to={call.ended_at} />}
            {call.termination && <State of={call.termination.result} />}
          </CallRow>
        )}
      </List>
    </Card>
  );
}
