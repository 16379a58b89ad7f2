import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { type Answer, useAnswer } from '../api/use-answer.ts';
import { LiveCall } from '../call/live-call.ts';
import { CallBadge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { texts } from '../texts.ts';
import { Controls } from './call/controls.tsx';
import { CallFacts } from './call/facts.tsx';
import { Chat, Happenings, Participants, Transcript } from './call/heard.tsx';
import { otherSide } from './call/other-side.ts';
import { PastCall } from './call/past.tsx';

type Status = Answers['GET /api/call/{call_id}'];

const t = texts.calls;
const LIVE: ReadonlySet<string> = new Set(['connecting', 'ringing', 'active']);

/** One call: what is said and written in it, and everything that can be done with it. */
export function CallPage({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  const status = useAnswer('GET /api/call/{call_id}', { params }, { on: ['call_'], about: callId });
  const isOver = status.error?.status === 404;
  const { data } = status;
  return (
    <>
      <PageHead title={data ? <span class="cut">{otherSide(data)}</span> : texts.nav.calls} back="/calls">
        {data && <CallBadge state={isOver ? 'ended' : data.state} />}
      </PageHead>
      {isOver && <p class="banner">{t.over}</p>}
      {isOver ? (
        <PastCall callId={callId} />
      ) : (
        <Loaded answer={status}>
          {(call) => <Whole call={call} status={status} isLive={LIVE.has(call.state)} />}
        </Loaded>
      )}
    </>
  );
}

interface WholeProps {
  readonly call: Status;
  readonly status: Answer<Status>;
  readonly isLive: boolean;
}

function Whole({ call, status, isLive }: WholeProps) {
  const live = useLiveCall(call.call_id, isLive, status.reload);
  // What was just said is shown until it is in the transcript.
  useEffect(() => live?.forgetFinalLines(), [live, call.transcript_length]);
  return (
    <div class="columns">
      <div>
        {isLive && <Controls call={call} live={live} />}
        <Card title={t.transcript}>
          <Transcript lines={call.transcript} live={live} />
        </Card>
      </div>
      <div>
        <CallFacts call={call} isLive={isLive} />
        <Chat call={call} live={live} isLive={isLive} />
        <Participants call={call} live={live} />
        <Happenings live={live} />
      </div>
    </div>
  );
}

/** Follows the call while it is live. What it told stays afterwards. */
function useLiveCall(callId: string, isLive: boolean, onChange: () => void): LiveCall | null {
  const [live, setLive] = useState<LiveCall | null>(null);
  const mayOpen = isLive || live !== null;
  useEffect(() => {
    if (!mayOpen) return undefined;
    const opened = new LiveCall(callId, onChange);
    setLive(opened);
    return () => opened.close();
  }, [callId, mayOpen]);
  return live;
}
