import type { Call } from '../../api/answers.ts';
import { Card, Facts } from '../../parts/layout.tsx';
import { Duration, Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

/** Who or what the call is with. */
export function otherSide({
  direction,
  caller,
  meeting_url: url,
}: Pick<Call, 'direction' | 'caller' | 'meeting_url'>): string {
  return (direction === 'inbound' ? caller : url) || texts.calls.unknown;
}

const t = texts.calls;

/** Of a live call, or of one that is over. */
export function CallFacts({ call, isLive }: { readonly call: Call; readonly isLive: boolean }) {
  const { created_at: from, answered_at: answered, ended_at: to, waiting_reason: waits, termination } = call;
  return (
    <Card title={t.facts}>
      <Facts
        of={[
          [t.platform, texts.platforms[call.platform]],
          [t.direction, t.directions[call.direction]],
          [t.started, <Moment iso={from} />],
          answered != null && [t.answered, <Moment iso={answered} />],
          (isLive || to !== null) && [t.duration, <Duration from={from} to={to} />],
          waits !== undefined && [t.waits, waits],
          termination !== null && [t.termination, `${termination.result}: ${termination.reason}`],
          [t.capabilities, call.capabilities.join(', ')],
        ]}
      />
    </Card>
  );
}
