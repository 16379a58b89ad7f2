import { Link } from 'wouter-preact';
import { talk } from '../call/talk.ts';
import { Level } from '../parts/level.tsx';
import { texts } from '../texts.ts';

const t = texts.talk;

/** The call between this browser and an agent, on whatever page. */
export function TalkBar() {
  const current = talk.value;
  if (current === null) return null;
  const { agentName, callId, isMuted, level } = current;
  const mute = (): void => {
    isMuted.value = !isMuted.value;
  };
  return (
    <section class="card row talk" aria-label={t.title}>
      <Link href={`/calls/${callId}`} class="cut">
        {t.with(agentName)}
      </Link>
      <Level label={texts.calls.level} level={level.value} />
      <button type="button" aria-pressed={isMuted.value} onClick={mute}>
        {t.mute}
      </button>
      <button type="button" class="danger" onClick={() => current.hangUp()}>
        {texts.calls.hangUp}
      </button>
    </section>
  );
}
