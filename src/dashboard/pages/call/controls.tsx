import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import type { LiveCall } from '../../call/live-call.ts';
import { Action, attempt, Confirm } from '../../parts/button.tsx';
import { TextForm } from '../../parts/form.tsx';
import { LiveLevel } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';
import { t } from '../call.texts.ts';
import { t as calls } from '../calls.texts.ts';
import { Answering } from '../calls.tsx';

type Status = Answers['GET /api/call/{call_id}'];

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const;

/** Everything that can be done with a live call. */
export function Controls({ call, live }: { readonly call: Status; readonly live: LiveCall | null }) {
  const { call_id } = call;
  const isActive = call.state === 'active';
  const write = (text: string) => ask('POST /api/call/{call_id}/chat', { call_id, text });
  const hangUp = () => ask('DELETE /api/call/{call_id}', { call_id });
  return (
    <section class="card" aria-label={t.controls}>
      <div class="row">
        <Answering {...call} />
        {live && isActive && <Hearing live={live} />}
        <span class="gap" />
        <Confirm class="danger" action={calls.hangUp} question={t.hangUpQuestion} run={hangUp} />
      </div>
      {live?.sound.value && <LiveLevel label={calls.level} of={live.sound.value.level} />}
      {isActive && <Say call={call} />}
      {isActive && call.capabilities.includes('write') && (
        <TextForm action={texts.send} label={t.chatLabel} send={write} maxLength={10_000} />
      )}
      {isActive && <Keypad callId={call.call_id} />}
    </section>
  );
}

/** To hear and to be heard, here in the browser. */
function Hearing({ live }: { readonly live: LiveCall }) {
  const sound = live.sound.value;
  if (sound === null)
    return (
      <>
        <Action class="primary" run={() => live.listen()} name={t.listen} />
        <Action run={() => live.speak()} name={t.speak} />
      </>
    );
  return (
    <>
      <Action run={() => live.stopListening()} name={t.stopListening} />
      {sound.microphone.value === null && <Action run={() => live.speak()} name={t.speak} />}
      {sound.microphone.value !== null && <Action class="danger" name={t.mute} run={() => live.mute()} />}
    </>
  );
}

function Say({ call }: { readonly call: Status }) {
  const { call_id } = call;
  if (!call.capabilities.includes('hosted_tts')) return <p class="quiet small">{t.noSpeech}</p>;
  const say = (text: string) => ask('POST /api/call/{call_id}/say', { call_id, text });
  return (
    <div class="with-button">
      <TextForm action={t.say} label={t.sayLabel} send={say} maxLength={10_000} />
      <Action run={() => ask('POST /api/call/{call_id}/stop-speaking', { call_id })} name={t.stop} />
    </div>
  );
}

function Keypad({ callId: call_id }: { readonly callId: string }) {
  const press = (digits: string) => ask('POST /api/call/{call_id}/dtmf', { call_id, digits });
  return (
    <details>
      <summary>{t.digits}</summary>
      <div class="keypad">
        {KEYS.map((key) => (
          // One that is pressed twice is two digits: it waits for nothing.
          <Action key={key} name={key} run={() => void attempt(() => press(key))} />
        ))}
      </div>
    </details>
  );
}
