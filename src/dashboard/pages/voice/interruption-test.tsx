import { useLocation } from 'wouter-preact';
import { ask } from '../../api/request.ts';
import { Talk } from '../../call/talk.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';
import { t } from '../voice.texts.ts';

const LOOK_MS = 200;
const MOST_LOOKS = 25;

/**
 * A call from this browser in which the gateway says a long text, to be interrupted: the time line of the call shows what
 * was heard, and where the text ended. This is what happens on a phone, with the presets and settings in use.
 */
export function InterruptionTest({ isReady }: { readonly isReady: boolean }) {
  const [, navigate] = useLocation();
  const test = async (): Promise<void> => {
    const { agents } = await ask('GET /api/agents');
    const { callId } = await Talk.begin(agents.find((each) => each.is_default) ?? agents[0]!);
    const params = { call_id: callId };
    await ask('POST /api/call/{call_id}/accept', { params });
    await becomesActive(callId);
    await ask('POST /api/call/{call_id}/say', { params, body: { text: t.text } });
    navigate(`/calls/${callId}`);
  };
  return (
    <Card title={t.interruption} hint={isReady ? t.interruptionHint : t.needs}>
      <Action run={test} disabled={!isReady} name={t.begin} />
    </Card>
  );
}

async function becomesActive(callId: string): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { state } = await ask('GET /api/call/{call_id}', { params: { call_id: callId } });
    if (state === 'active') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(texts.unknownError);
}
