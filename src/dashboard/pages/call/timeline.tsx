import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { Item, Turn } from '../../call/live-call.ts';
import { Chart } from '../../parts/chart.tsx';
import { Card, Empty, Facts } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

const t = texts.calls;

/** What was said, written and happened, in order. */
export function TimeLine({ items, none }: { readonly items: readonly Item[]; readonly none: string }) {
  if (items.length === 0) return <Empty>{none}</Empty>;
  return (
    <ol class="transcript" aria-live="polite">
      {items.map((item, at) => (
        <li key={at} class={`${item.kind}${item.isFinal ? '' : ' interim'}`}>
          {item.at !== '' && <Moment iso={item.at} />}{' '}
          <strong>{item.who || (t.happenings[item.kind] ?? '')}</strong>{' '}
          {item.turn ? <Stages {...item.turn} /> : item.text}
        </li>
      ))}
    </ol>
  );
}

/** A line of a live call's transcript, which has no time. */
export function lineItem(line: string): Item {
  const [, who = '', text = line] = /^\[([^\]]*)\] (.*)$/s.exec(line) ?? [];
  return { at: '', kind: 'said', who, text, isFinal: true };
}

/** How long the other end waited, and for what. */
function Stages({ total_ms: total, ...turn }: Turn) {
  const known = t.stages.flatMap(([stage, name]) => (turn[stage] ? [{ name, ms: turn[stage] }] : []));
  let fromMs = 0;
  return (
    <>
      {t.milliseconds(total)}
      <svg class="stages" viewBox={`0 0 ${total} 8`} preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ name, ms }, at) => {
          fromMs += ms;
          return <rect key={name} x={fromMs - ms} width={ms} height={8} class={`stage-${at}`} />;
        })}
      </svg>
      <span class="quiet small">{known.map(({ name, ms }) => `${name} ${ms}`).join(' · ')}</span>
    </>
  );
}

type Audio = Answers['GET /api/call/{call_id}/audio'];
const READ_MS = 400;
/** About two minutes. */
const MOST_SAMPLES = 240;

/** How loud both sides are and were, and how the audio is doing. */
export function Levels({ callId }: { readonly callId: string }) {
  const { data } = useAnswer(
    'GET /api/call/{call_id}/audio',
    { params: { call_id: callId } },
    { everyMs: READ_MS },
  );
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
        label={t.levels.join(', ')}
        times={samples.map(({ timeS }) => timeS)}
        series={[
          { label: t.levels[0], values: samples.map(({ audio }) => Math.sqrt(audio.received.level)) },
          { label: t.levels[1], values: samples.map(({ audio }) => Math.sqrt(audio.sent.level)) },
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
