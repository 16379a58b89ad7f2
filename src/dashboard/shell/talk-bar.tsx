import { Link } from 'wouter-preact';
import { talk } from '../call/talk.ts';
import { t as calls } from '../pages/calls.texts.ts';
import { Action } from '../parts/action.tsx';
import { LiveLevel } from '../parts/level.tsx';
import { t } from './shell.texts.ts';

/** The call between this browser and an agent, on whatever page. */
export function TalkBar() {
  const current = talk.value;
  if (current === null) return null;
  const { agentName, callId, isMuted, level } = current;
  const mute = (): void => {
    isMuted.value = !isMuted.value;
  };
  return (
    <section class="card row talk" aria-label={t.talk}>
      <Link href={`/calls/${callId}`} class="cut">
        {t.with(agentName)}
      </Link>
      <LiveLevel label={calls.level} of={level} />
      <Action name={t.mute} isPressed={isMuted.value} run={mute} />
      <Action class="danger" name={calls.hangUp} run={() => current.hangUp()} />
    </section>
  );
}
