import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Card, Facts } from '../../parts/layout.tsx';
import { t } from '../call.texts.ts';
import { t as calls } from '../calls.texts.ts';

type Audio = Answers['GET /api/call/{call_id}/audio'];
const READ_MS = 400;
/** About two minutes. */
const MOST_SAMPLES = 240;

/** How loud both sides are and were, and how the audio is doing. */
export function Levels({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  const { data } = useAnswer('GET /api/call/{call_id}/audio', { params, everyMs: READ_MS });
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
