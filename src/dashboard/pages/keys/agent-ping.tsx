import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action, attempt } from '../../parts/action.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Card, Row } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

type Probe = Answers['GET /api/keys/test-agent/status'];

const t = texts.ping;
const POLL_MS = 1_000;
const TONES: Readonly<Record<string, Tone>> = {
  replied: 'good',
  connected_but_silent: 'warn',
  key_used_recently: 'warn',
  not_connected: 'bad',
};

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
    <Action class="primary" disabled={isRunning} run={start}>
      {isRunning ? t.running : t.start}
    </Action>
  );
  return (
    <Card title={t.title} hint={t.explanation} action={button}>
      <ul class="rows" aria-live="polite">
        {probe?.keys.map(({ id, name, key_prefix: prefix, verdict }) => (
          <Row
            key={id}
            title={name}
            note={`${prefix}…`}
            below={
              verdict !== null && verdict !== 'replied' && <p class="quiet small">{t.advice[verdict]}</p>
            }
          >
            <Badge tone={TONES[verdict ?? ''] ?? 'plain'}>
              {verdict === null ? t.waiting : t.verdicts[verdict]}
            </Badge>
          </Row>
        ))}
      </ul>
    </Card>
  );
}
