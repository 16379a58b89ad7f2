import type { Answers } from '../../api/answers.ts';
import type { Item, Turn } from '../../call/live-call.ts';
import { Empty } from '../../parts/layout.tsx';
import { useFollowed } from '../../parts/seen.ts';
import { Moment } from '../../parts/value.tsx';
import { t } from '../call.texts.ts';

interface TimeLineProps {
  readonly items: readonly Item[];
  readonly none: string;
  /** Its end is kept in sight. */
  readonly isLive?: boolean;
}

/** What was said, written and happened, in order. */
export function TimeLine({ items, none, isLive = false }: TimeLineProps) {
  const list = useFollowed<HTMLOListElement>(items.at(-1));
  if (items.length === 0) return <Empty>{none}</Empty>;
  return (
    <ol ref={isLive ? list : null} class="transcript" aria-live="polite">
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
  return { at: '', kind: 'call_transcript', who, text, isFinal: true };
}

type Past = Answers['GET /api/calls/history/{call_id}'];

/** What is kept of a call that is over, by time. */
export function pastItems(lines: Past['transcript'], turns: Past['turns']): Item[] {
  const said = lines.map(({ speaker: who, text, created_at: at }) => {
    return { at, kind: 'call_transcript', who, text, isFinal: true };
  });
  const answered = turns.map((turn) => {
    return { at: turn.created_at, kind: 'turn_metrics', who: '', text: '', isFinal: true, turn };
  });
  return [...said, ...answered].toSorted((a, b) => a.at.localeCompare(b.at));
}

/** How long the other end waited, and for what. */
function Stages({ total_ms: total, ...turn }: Turn) {
  const known = t.stages.flatMap(([stage, name]) => (turn[stage] ? [{ name, ms: turn[stage] }] : []));
  let fromMs = 0;
  return (
    <>
      {t.milliseconds(total)}
      <svg class="stages" viewBox={`0 0 ${total} 8`} preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ name, ms }) => {
          fromMs += ms;
          return <rect key={name} x={fromMs - ms} width={ms} height={8} />;
        })}
      </svg>
      <span class="quiet small">{known.map(({ name, ms }) => `${name} ${ms}`).join(' · ')}</span>
    </>
  );
}
