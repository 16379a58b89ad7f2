import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { Rows } from '../../parts/rows.tsx';
import { texts } from '../../texts.ts';
import { CallFacts } from './facts.tsx';

type Past = Answers['GET /api/calls/history/{call_id}'];

const t = texts.calls;

/** A call that is over, as the gateway keeps it. */
export function PastCall({ callId }: { readonly callId: string }) {
  const past = useAnswer('GET /api/calls/history/{call_id}', { params: { call_id: callId } });
  return <Loaded answer={past}>{(call) => <Whole key={call.call_id} {...call} />}</Loaded>;
}

function Whole(call: Past) {
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
    <div class="columns">
      <Card title={t.transcript}>
        <Rows of={lines} none={t.nothingKept} class="long">
          {({ position, speaker, text, created_at: at }) => (
            <li key={position}>
              <span>
                <strong>{speaker}</strong> {text}{' '}
                <span class="quiet small">
                  <Moment iso={at} />
                </span>
              </span>
            </li>
          )}
        </Rows>
        {next !== null && <Action run={read}>{texts.more}</Action>}
      </Card>
      <CallFacts call={call} isLive={false} />
    </div>
  );
}
