import type { Answers } from '../../api/answers.ts';
import type { LiveCall } from '../../call/live-call.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

const t = texts.calls;

interface ParticipantsProps {
  readonly call: Answers['GET /api/call/{call_id}'];
  readonly live: LiveCall | null;
}

/** Who takes part, and who speaks. */
export function Participants({ call, live }: ParticipantsProps) {
  const speaking = new Set(live?.speaking.value.values());
  // Of a phone call it is only known that somebody speaks.
  const { participants = [...speaking].map((name) => ({ id: name, name })) } = call;
  if (participants.length === 0) return null;
  return (
    <Card title={t.participants}>
      <ul class="rows">
        {participants.map(({ id, name }) => (
          <li key={id} class="row">
            <span class="grow cut">{name || t.otherEnd}</span>
            {speaking.has(name) && <Badge tone="good">{t.speaksNow}</Badge>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
