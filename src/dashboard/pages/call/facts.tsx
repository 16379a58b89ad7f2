import type { Answers, Call } from '../../api/answers.ts';
import type { LiveCall } from '../../call/live-call.ts';
import { Card, Facts, Row, Rows } from '../../parts/layout.tsx';
import { Duration, Moment } from '../../parts/moment.tsx';
import { Badge } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from '../call.texts.ts';
import { t as calls } from '../calls.texts.ts';

/** Of a live call, or of one that is over. */
export function CallFacts({ call, isLive }: { readonly call: Call; readonly isLive: boolean }) {
  const { created_at: from, answered_at: answered, ended_at: to, waiting_reason: waits, termination } = call;
  return (
    <Card title={t.facts}>
      <Facts
        of={[
          [texts.platform, texts.platforms[call.platform]],
          [t.direction, calls.directions[call.direction]],
          [t.started, <Moment iso={from} />],
          answered != null && [t.answered, <Moment iso={answered} />],
          (isLive || to !== null) && [t.duration, <Duration from={from} to={to} />],
          waits !== undefined && [t.waits, waits],
          call.on_hold === true && [t.held, t.heldBy],
          termination !== null && [t.termination, `${termination.result}: ${termination.reason}`],
          [t.capabilities, call.capabilities.join(', ')],
        ]}
      />
    </Card>
  );
}

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
      <Rows of={participants}>
        {({ id, name }) => (
          <Row key={id} title={name || t.otherEnd}>
            {speaking.has(name) && <Badge tone="good">{t.speaksNow}</Badge>}
          </Row>
        )}
      </Rows>
    </Card>
  );
}
