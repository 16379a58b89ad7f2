import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { type Answer, useAnswer } from '../api/use-answer.ts';
import { type Line, LiveCall } from '../call/live-call.ts';
import { Action } from '../parts/action.tsx';
import { Badge, CallBadge } from '../parts/badge.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Level } from '../parts/level.tsx';
import { Duration, Moment } from '../parts/moment.tsx';
import { Empty, Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { attempt } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';
import { Answering, otherSide } from './calls.tsx';

type Status = Answers['GET /api/call/{call_id}'];

const t = texts.calls;

/** One call: what is said and written in it, and everything that can be done with it. */
export function CallPage({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  const status = useAnswer('GET /api/call/{call_id}', { params }, { on: ['call_'], about: callId });
  const isOver = status.error?.status === 404;
  return (
    <>
      <PageHead
        title={status.data ? <span class="cut">{otherSide(status.data)}</span> : texts.nav.calls}
        back="/calls"
      >
        {status.data && <CallBadge state={isOver ? 'ended' : status.data.state} />}
      </PageHead>
      {isOver && <p class="banner">{t.over}</p>}
      {(!isOver || status.data !== undefined) && (
        <Loaded answer={isOver ? { ...status, error: undefined } : status}>
          {(call) => <Live call={call} status={status} isOver={isOver} />}
        </Loaded>
      )}
    </>
  );
}

const LIVE: ReadonlySet<string> = new Set(['connecting', 'ringing', 'active']);

interface LiveProps {
  readonly call: Status;
  readonly status: Answer<Status>;
  readonly isOver: boolean;
}

function Live({ call, status, isOver }: LiveProps) {
  const isLive = !isOver && LIVE.has(call.state);
  const live = useLiveCall(call.call_id, isLive, status.reload);
  // What was just said is shown until it is in the transcript.
  useEffect(() => live?.forgetFinalLines(), [live, call.transcript_length]);
  return (
    <div class="columns">
      <div>
        {isLive && <Controls call={call} live={live} />}
        <section class="card">
          <h2>{t.transcript}</h2>
          <Transcript lines={[...call.transcript.map(lineOf), ...(live?.lines.value ?? [])]} />
        </section>
      </div>
      <div>
        <Facts call={call} isLive={isLive} />
        <Chat call={call} live={live} isLive={isLive} />
        <Participants call={call} live={live} />
        <Happenings live={live} />
      </div>
    </div>
  );
}

/** Follows the call while it is live. What it told stays afterwards. */
function useLiveCall(callId: string, isLive: boolean, onChange: () => void): LiveCall | null {
  const [live, setLive] = useState<LiveCall | null>(null);
  const mayOpen = isLive || live !== null;
  useEffect(() => {
    if (!mayOpen) return undefined;
    const opened = new LiveCall(callId, onChange);
    setLive(opened);
    return () => opened.close();
  }, [callId, mayOpen]);
  return live;
}

function Controls({ call, live }: { readonly call: Status; readonly live: LiveCall | null }) {
  const params = { call_id: call.call_id };
  const audio = live?.audio.value ?? 'off';
  const isActive = call.state === 'active';
  return (
    <section class="card" aria-label={t.controls}>
      <div class="row">
        {call.state === 'ringing' && call.direction === 'inbound' && <Answering callId={call.call_id} />}
        {live && isActive && audio === 'off' && (
          <Action class="primary" run={() => live.listen()}>
            {t.listen}
          </Action>
        )}
        {live && audio !== 'off' && <Action run={() => live.stopListening()}>{t.stopListening}</Action>}
        {live && isActive && audio !== 'speaking' && <Action run={() => live.speak()}>{t.speak}</Action>}
        {live && audio === 'speaking' && (
          <button type="button" class="danger" onClick={() => live.mute()}>
            {t.mute}
          </button>
        )}
        <span class="grow" />
        <Confirm
          action={t.hangUp}
          question={t.hangUpQuestion}
          run={() => ask('DELETE /api/call/{call_id}', { params })}
        />
      </div>
      {live && audio !== 'off' && <Level label={t.level} level={live.level} />}
      {isActive && <Say call={call} />}
      {isActive && <Digits callId={call.call_id} />}
    </section>
  );
}

function Say({ call }: { readonly call: Status }) {
  const [text, setText] = useState('');
  const params = { call_id: call.call_id };
  if (!call.capabilities.includes('hosted_tts')) return <p class="quiet small">{t.noSpeech}</p>;
  const submit = async (): Promise<void> => {
    await ask('POST /api/call/{call_id}/say', { params, body: { text } });
    setText('');
  };
  return (
    <div class="with-button">
      <Form submit={submit} action={t.say} inline>
        <Field
          label={t.sayLabel}
          value={text}
          onValue={setText}
          required
          maxLength={10_000}
          autocomplete="off"
        />
      </Form>
      <Action run={() => ask('POST /api/call/{call_id}/stop-speaking', { params })}>{t.stop}</Action>
    </div>
  );
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const;

function Digits({ callId }: { readonly callId: string }) {
  const press = (digits: string): void => {
    void attempt(() =>
      ask('POST /api/call/{call_id}/dtmf', { params: { call_id: callId }, body: { digits } }),
    );
  };
  return (
    <details>
      <summary>{t.digits}</summary>
      <div class="keypad">
        {KEYS.map((key) => (
          <button type="button" key={key} onClick={() => press(key)}>
            {key}
          </button>
        ))}
      </div>
    </details>
  );
}

const LINE = /^\[([^\]]*)\] (.*)$/s;

function lineOf(text: string): Line {
  const [, speaker = '', said = text] = LINE.exec(text) ?? [];
  return { speaker, text: said, isFinal: true };
}

function Transcript({ lines }: { readonly lines: readonly Line[] }) {
  if (lines.length === 0) return <Empty>{t.nothingSaid}</Empty>;
  return (
    <ol class="transcript" aria-live="polite">
      {lines.map(({ speaker, text, isFinal }, at) => (
        <li key={at} class={isFinal ? '' : 'interim'}>
          <strong>{speaker}</strong> {text}
        </li>
      ))}
    </ol>
  );
}

function Facts({ call, isLive }: { readonly call: Status; readonly isLive: boolean }) {
  return (
    <section class="card">
      <h2>{t.facts}</h2>
      <dl class="facts">
        <dt>{t.platform}</dt>
        <dd>{texts.platforms[call.platform]}</dd>
        <dt>{t.direction}</dt>
        <dd>{t.directions[call.direction]}</dd>
        <dt>{t.started}</dt>
        <dd>
          <Moment iso={call.created_at} />
        </dd>
        <dt>{t.duration}</dt>
        <dd>
          <Duration from={call.created_at} to={call.ended_at ?? (isLive ? null : call.created_at)} />
        </dd>
        {call.waiting_reason !== undefined && (
          <>
            <dt>{t.waits}</dt>
            <dd>{call.waiting_reason}</dd>
          </>
        )}
        {call.termination && (
          <>
            <dt>{t.termination}</dt>
            <dd>
              {call.termination.result}: {call.termination.reason}
            </dd>
          </>
        )}
        <dt>{t.capabilities}</dt>
        <dd>{call.capabilities.join(', ')}</dd>
      </dl>
      {isLive && call.state === 'active' && <Quality callId={call.call_id} />}
    </section>
  );
}

function Quality({ callId }: { readonly callId: string }) {
  const { data } = useAnswer(
    'GET /api/call/{call_id}/audio',
    { params: { call_id: callId } },
    { everyMs: 2_000 },
  );
  if (data === undefined) return null;
  const { received, sent } = data;
  return (
    <dl class="facts">
      <dt>{t.receivedDelay}</dt>
      <dd>{t.milliseconds(received.delay_ms)}</dd>
      <dt>{t.lost}</dt>
      <dd>
        {received.lost} / {received.late} / {received.concealed}
      </dd>
      <dt>{t.sentDelay}</dt>
      <dd>{t.milliseconds(sent.delay_ms)}</dd>
      <dt>{t.underruns}</dt>
      <dd>{sent.underruns}</dd>
    </dl>
  );
}

interface PartProps {
  readonly call: Status;
  readonly live: LiveCall | null;
}

function Chat({ call, live, isLive }: PartProps & { readonly isLive: boolean }) {
  const [text, setText] = useState('');
  const mayWrite = isLive && call.state === 'active' && call.capabilities.includes('write');
  const lines = live?.chat.value ?? [];
  if (!mayWrite && lines.length === 0) return null;
  const submit = async (): Promise<void> => {
    await ask('POST /api/call/{call_id}/chat', { params: { call_id: call.call_id }, body: { text } });
    setText('');
  };
  return (
    <section class="card">
      <h2>{t.chat}</h2>
      <ol class="transcript" aria-live="polite">
        {lines.map(({ sender, text: written, sentAt }, at) => (
          <li key={at}>
            <strong>{sender}</strong> {written}{' '}
            <span class="quiet small">
              <Moment iso={sentAt} />
            </span>
          </li>
        ))}
      </ol>
      {mayWrite && (
        <Form submit={submit} action={texts.send} inline>
          <Field
            label={t.chatLabel}
            value={text}
            onValue={setText}
            required
            maxLength={10_000}
            autocomplete="off"
          />
        </Form>
      )}
    </section>
  );
}

function Participants({ call, live }: PartProps) {
  const { participants = [] } = call;
  const speaking = new Set(live?.speaking.value.values());
  if (participants.length === 0 && speaking.size === 0) return null;
  return (
    <section class="card">
      <h2>{t.participants}</h2>
      <ul class="rows">
        {participants.map(({ id, name }) => (
          <li key={id} class="row">
            <span class="grow cut">{name}</span>
            {speaking.has(name) && <Badge tone="good">{t.speaksNow}</Badge>}
          </li>
        ))}
        {participants.length === 0 && (
          <li>
            <Badge tone="good">{t.speaksNow}</Badge>
          </li>
        )}
      </ul>
    </section>
  );
}

function Happenings({ live }: { readonly live: LiveCall | null }) {
  const happenings = live?.happenings.value ?? [];
  if (happenings.length === 0) return null;
  return (
    <section class="card">
      <h2>{t.events}</h2>
      <ol class="transcript small">
        {happenings.map(({ at, type, text }, place) => (
          <li key={place}>
            <span class="quiet">
              <Moment iso={at} />
            </span>{' '}
            {t.happenings[type] ?? type} {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
