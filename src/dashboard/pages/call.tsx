import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { type Item, LiveCall } from '../call/live-call.ts';
import { Action } from '../parts/action.tsx';
import { CallBadge } from '../parts/badge.tsx';
import { Card, Loaded, PageHead } from '../parts/layout.tsx';
import { texts } from '../texts.ts';
import { Controls } from './call/controls.tsx';
import { CallFacts, otherSide } from './call/facts.tsx';
import { Participants } from './call/participants.tsx';
import { Levels, lineItem, TimeLine } from './call/timeline.tsx';

type Status = Answers['GET /api/call/{call_id}'];

const t = texts.calls;
const LIVE: ReadonlySet<string> = new Set(['connecting', 'ringing', 'active']);

/** One call: what is said and written in it, and everything that can be done with it. */
export function CallPage({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  const status = useAnswer('GET /api/call/{call_id}', { params }, { on: ['call_'], about: callId });
  const isOver = status.error?.status === 404;
  if (isOver) return <PastCall callId={callId} />;
  return (
    <Loaded answer={status}>
      {(call) => (
        <>
          <PageHead title={<span class="cut">{otherSide(call)}</span>} back="/calls">
            <CallBadge state={call.state} />
          </PageHead>
          <Whole call={call} isLive={LIVE.has(call.state)} />
        </>
      )}
    </Loaded>
  );
}

function Whole({ call, isLive }: { readonly call: Status; readonly isLive: boolean }) {
  const live = useLiveCall(call.call_id, isLive);
  // What came before; the WebSocket tells the rest.
  const before = useMemo(() => call.transcript.map(lineItem), [live?.isConnected.value]);
  return (
    <div class="columns">
      <div>
        {isLive && <Controls call={call} live={live} />}
        <Card title={t.timeLine}>
          <TimeLine items={[...before, ...(live?.items.value ?? [])]} none={t.nothingSaid} />
        </Card>
      </div>
      <div>
        {call.state === 'active' && <Levels callId={call.call_id} />}
        <CallFacts call={call} isLive={isLive} />
        <Participants call={call} live={live} />
      </div>
    </div>
  );
}

/** Follows the call while it is live. What it told stays afterwards. */
function useLiveCall(callId: string, isLive: boolean): LiveCall | null {
  const [live, setLive] = useState<LiveCall | null>(null);
  const mayOpen = isLive || live !== null;
  useEffect(() => {
    if (!mayOpen) return undefined;
    const opened = new LiveCall(callId);
    setLive(opened);
    return () => opened.close();
  }, [callId, mayOpen]);
  return live;
}

type Past = Answers['GET /api/calls/history/{call_id}'];

/** A call that is over, as the gateway keeps it. */
function PastCall({ callId }: { readonly callId: string }) {
  const past = useAnswer('GET /api/calls/history/{call_id}', { params: { call_id: callId } });
  return <Loaded answer={past}>{(call) => <Kept key={call.call_id} {...call} />}</Loaded>;
}

function Kept(call: Past) {
  const [more, setMore] = useState<Past>();
  const [lines, setLines] = useState(call.transcript);
  const next = (more ?? call).next_line;
  const read = async (): Promise<void> => {
    const params = { call_id: call.call_id };
    const page = await ask('GET /api/calls/history/{call_id}', { params, query: { from_line: next ?? 0 } });
    setMore(page);
    setLines([...lines, ...page.transcript]);
  };
  return (
    <>
      <PageHead title={<span class="cut">{otherSide(call)}</span>} back="/calls">
        <CallBadge state={call.state} />
      </PageHead>
      <p class="banner">{t.over}</p>
      <div class="columns">
        <Card title={t.timeLine}>
          <TimeLine items={lines.map(pastItem)} none={t.nothingKept} />
          {next !== null && <Action run={read}>{texts.more}</Action>}
        </Card>
        <CallFacts call={call} isLive={false} />
      </div>
    </>
  );
}

function pastItem({ speaker, text, created_at: at }: Past['transcript'][number]): Item {
  return { at, kind: 'said', who: speaker, text, isFinal: true };
}
