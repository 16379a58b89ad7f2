import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Card } from '../../parts/card.tsx';
import { Source } from '../../parts/source.tsx';
import { texts } from '../../texts.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

type Tested = Answers['POST /api/agents/{agent_id}/test'];

const t = texts.provider;

/** Sends the model a message of the gateway's own, and shows its reply. */
export function TestAgent({ agentId }: { readonly agentId: string }) {
  const [tested, setTested] = useState<Tested>();
  const test = async (): Promise<void> => {
    const params = { agent_id: agentId };
    setTested(await ask('POST /api/agents/{agent_id}/test', { params, query: { wait: 55 } }));
  };
  const forget = async (): Promise<void> => {
    await ask('POST /api/agents/{agent_id}/reset-conversations', { params: { agent_id: agentId } });
  };
  return (
    <Card title={t.test} hint={t.testHint}>
      <div class="row">
        <Action class="primary" run={test}>
          {t.testAction}
        </Action>
        <Action run={forget} done={t.forgotten}>
          {t.forget}
        </Action>
      </div>
      {tested && (
        <>
          <p class="row">
            <DeliveryBadge status={tested.status} /> <span class="small">{tested.error}</span>
          </p>
          {tested.response_body !== null && (
            <Source text={tested.response_body} label={texts.deliveries.reply} />
          )}
        </>
      )}
    </Card>
  );
}
