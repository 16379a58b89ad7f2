import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action, attempt } from '../../parts/action.tsx';
import { Card, Row } from '../../parts/layout.tsx';
import { State } from '../../parts/state.tsx';
import { t } from '../keys.texts.ts';

type Probe = Answers['GET /api/keys/test-agent/status'];

const POLL_MS = 1_000;

/** Asks every agent to answer, and says for each key whether it did. */
export function AgentPing() {
  const [probe, setProbe] = useState<Probe>();
  const isRunning = probe !== undefined && !probe.done;
  useEffect(() => {
    if (!isRunning) return undefined;
    const poll = () => void attempt(async () => setProbe(await ask('GET /api/keys/test-agent/status')));
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const start = async (): Promise<void> => setProbe(await ask('POST /api/keys/test-agent/start'));
  const button = (
    <Action class="primary" disabled={isRunning} run={start} name={isRunning ? t.running : t.start} />
  );
  return (
    <Card title={t.ping} hint={t.pingHint} action={button}>
      <ul class="rows" aria-live="polite">
        {probe?.keys.map(({ id, name, key_prefix: prefix, verdict }) => {
          const advice = verdict !== null && verdict !== 'replied' && t.advice[verdict];
          const below = advice && <p class="quiet small">{advice}</p>;
          return (
            <Row key={id} title={name} note={`${prefix}…`} below={below}>
              <State of={verdict ?? 'waiting'} />
            </Row>
          );
        })}
      </ul>
    </Card>
  );
}
