import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { LiveCall } from '../call/live-call.ts';
import { Action } from '../parts/button.tsx';
import { Card, Loaded, PageHead } from '../parts/layout.tsx';
import { State } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { Controls } from './call/controls.tsx';
import { CallFacts, Levels, Participants } from './call/facts.tsx';
import { lineItem, pastItems, TimeLine } from './call/timeline.tsx';
import { t } from './call.texts.ts';
import { otherSide } from './calls.tsx';

type Status = Answers['GET /api/call/{call_id}'];

const LIVE: ReadonlySet<string> = new Set(['connecting', 'ringing', 'active']);

/** One call: what is said and written in it, and everything that can be done with it. */
export function CallPage({ callId }: { readonly callId: string }) {
  const call = { call_id: callId };
  const status = useAnswer('GET /api/call/{call_id}', call, { on: ['call_'] });
  const isOver = status.error?.status === 404;
  const past = useAnswer('GET /api/calls/history/{call_id}', call, { off: !isOver });
  if (isOver) return <Loaded answer={past}>{(call) => <Past key={call.call_id} {...call} />}</Loaded>;
  return (
    <Loaded answer={status}>
      {(call) => (
        <>
          <Head {...call} />
          <Whole call={call} isLive={LIVE.has(call.state)} />
        </>
      )}
    </Loaded>
  );
}

function Head(call: Status | Past) {
  return (
    <PageHead title={otherSide(call)} back="/calls">
      <State of={call.state} />
    </PageHead>
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
          <TimeLine items={[...before, ...(live?.items.value ?? [])]} none={t.nothingSaid} isLive />
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
function Past(call: Past) {
  const [pages, setPages] = useState<readonly Past[]>([call]);
  const next = pages.at(-1)?.next_line ?? null;
  const more = async (): Promise<void> => {
    const from = { call_id: call.call_id, from_line: next ?? 0 };
    setPages([...pages, await ask('GET /api/calls/history/{call_id}', from)]);
  };
  const lines = pages.flatMap(({ transcript }) => transcript);
  return (
    <>
      <Head {...call} />
      <p class="banner">{t.over}</p>
      <div class="columns">
        <Card title={t.timeLine}>
          <TimeLine items={pastItems(lines, call.turns)} none={t.nothingKept} />
          {next !== null && <Action run={more} name={texts.more} />}
        </Card>
        <CallFacts call={call} isLive={false} />
      </div>
    </>
  );
}
