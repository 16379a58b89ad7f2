import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import type { Line, LiveCall } from '../../call/live-call.ts';
import { Badge } from '../../parts/badge.tsx';
import { TextForm } from '../../parts/form.tsx';
import { Card, Empty } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

interface PartProps {
  readonly call: Answers['GET /api/call/{call_id}'];
  readonly live: LiveCall | null;
}

const t = texts.calls;
const LINE = /^\[([^\]]*)\] (.*)$/s;

/** What was said, and what is being said. */
export function Transcript({
  lines,
  live,
}: {
  readonly lines: readonly string[];
  readonly live: LiveCall | null;
}) {
  const all = [...lines.map(lineOf), ...(live?.lines.value ?? [])];
  if (all.length === 0) return <Empty>{t.nothingSaid}</Empty>;
  return (
    <ol class="transcript" aria-live="polite">
      {all.map(({ speaker, text, isFinal }, at) => (
        <li key={at} class={isFinal ? '' : 'interim'}>
          <strong>{speaker}</strong> {text}
        </li>
      ))}
    </ol>
  );
}

function lineOf(line: string): Line {
  const [, speaker = '', text = line] = LINE.exec(line) ?? [];
  return { speaker, text, isFinal: true };
}

export function Chat({ call, live, isLive }: PartProps & { readonly isLive: boolean }) {
  const mayWrite = isLive && call.state === 'active' && call.capabilities.includes('write');
  const lines = live?.chat.value ?? [];
  if (!mayWrite && lines.length === 0) return null;
  const write = async (text: string): Promise<void> => {
    await ask('POST /api/call/{call_id}/chat', { params: { call_id: call.call_id }, body: { text } });
  };
  return (
    <Card title={t.chat}>
      <ol class="transcript" aria-live="polite">
        {lines.map(({ sender, text, sentAt }, at) => (
          <li key={at}>
            <strong>{sender}</strong> {text} <Moment iso={sentAt} />
          </li>
        ))}
      </ol>
      {mayWrite && <TextForm action={texts.send} label={t.chatLabel} send={write} maxLength={10_000} />}
    </Card>
  );
}

export function Participants({ call, live }: PartProps) {
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

export function Happenings({ live }: { readonly live: LiveCall | null }) {
  const happenings = live?.happenings.value ?? [];
  if (happenings.length === 0) return null;
  return (
    <Card title={t.events}>
      <ol class="transcript small">
        {happenings.map(({ at, type, text }, place) => (
          <li key={place}>
            <Moment iso={at} /> {t.happenings[type] ?? type} {text}
          </li>
        ))}
      </ol>
    </Card>
  );
}
