import { useEffect, useState } from 'preact/hooks';
import type { Answers, Call } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { LiveCall } from '../../call/live-call.ts';
import { Chart } from '../../parts/chart.tsx';
import { Card, Facts } from '../../parts/layout.tsx';
import { Row, Rows } from '../../parts/list.tsx';
import { Badge, Duration, Moment } from '../../parts/value.tsx';
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

type Audio = Answers['GET /api/call/{call_id}/audio'];
const READ_MS = 400;
/** About two minutes. */
const MOST_SAMPLES = 240;

/** How loud both sides are and were, and how the audio is doing. */
export function Levels({ callId: call_id }: { readonly callId: string }) {
  const { data } = useAnswer('GET /api/call/{call_id}/audio', { call_id }, { everyMs: READ_MS });
  const [samples, setSamples] = useState<readonly { readonly timeS: number; readonly audio: Audio }[]>([]);
  useEffect(() => {
    if (data)
      setSamples((former) => [...former, { timeS: Date.now() / 1000, audio: data }].slice(-MOST_SAMPLES));
  }, [data]);
  if (data === undefined) return null;
  const { received, sent } = data;
  return (
    <Card title={t.audio}>
      <Chart
        label={calls.levels.join(', ')}
        times={samples.map(({ timeS }) => timeS)}
        series={[
          { label: calls.levels[0], values: samples.map(({ audio }) => Math.sqrt(audio.received.level)) },
          { label: calls.levels[1], values: samples.map(({ audio }) => Math.sqrt(audio.sent.level)) },
        ]}
      />
      <Facts
        of={[
          [t.receivedDelay, t.milliseconds(received.delay_ms)],
          [t.lost, `${received.lost} / ${received.late} / ${received.concealed}`],
          [t.sentDelay, t.milliseconds(sent.delay_ms)],
          [t.underruns, sent.underruns],
        ]}
      />
    </Card>
  );
}
