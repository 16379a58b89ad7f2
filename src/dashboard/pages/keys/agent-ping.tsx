import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { attempt } from '../../parts/toasts.tsx';
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
  return (
    <section class="card">
      <div class="row spread">
        <h2>{t.title}</h2>
        <Action
          class="primary"
          disabled={isRunning}
          run={async () => setProbe(await ask('POST /api/keys/test-agent/start'))}
        >
          {isRunning ? t.running : t.start}
        </Action>
      </div>
      <p class="quiet small">{t.explanation}</p>
      <ul class="rows" aria-live="polite">
        {probe?.keys.map(({ id, name, key_prefix: prefix, verdict }) => (
          <li key={id}>
            <div class="row-card">
              <span class="grow">
                <strong class="cut">{name}</strong>
                <code class="small">{prefix}…</code>
              </span>
              {verdict === null ? (
                <Badge>{t.waiting}</Badge>
              ) : (
                <Badge tone={TONES[verdict] ?? 'plain'}>{t.verdicts[verdict]}</Badge>
              )}
            </div>
            {verdict !== null && verdict !== 'replied' && <p class="quiet small">{t.advice[verdict]}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
