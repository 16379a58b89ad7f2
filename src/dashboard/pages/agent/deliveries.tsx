import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action, Dialog } from '../../parts/action.tsx';
import { DeliveryBadge } from '../../parts/badge.tsx';
import { Source } from '../../parts/copy.tsx';
import { Card, Loaded, Row, Rows } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

type Detail = Answers['GET /api/agent-deliveries/{id}'];

const { deliveries: t, provider } = texts;

const PAGE = 50;

/** The events that a model was asked about, and what came of them. */
export function Deliveries({ agentId }: { readonly agentId: string }) {
  const [offset, setOffset] = useState(0);
  const [openId, setOpenId] = useState<string>();
  const list = useAnswer(
    'GET /api/agents/{agent_id}/deliveries',
    { params: { agent_id: agentId }, query: { limit: PAGE, offset } },
    { on: ['dm_', 'call_'], everyMs: 10_000 },
  );
  return (
    <section class="card">
      <Loaded answer={list}>
        {({ deliveries, total }) => (
          <>
            <Rows of={deliveries} none={t.none}>
              {({ id, event_type: type, status, created_at: at, error }) => (
                <Row
                  key={id}
                  title={
                    <button type="button" class="link" onClick={() => setOpenId(id)}>
                      {texts.provider.eventTypes[type] ?? type}
                    </button>
                  }
                  note={error ?? <Moment iso={at} />}
                >
                  <DeliveryBadge status={status} />
                </Row>
              )}
            </Rows>
            {total > PAGE && (
              <div class="row">
                <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                  {texts.newer}
                </button>
                <button
                  type="button"
                  disabled={offset + PAGE >= total}
                  onClick={() => setOffset(offset + PAGE)}
                >
                  {texts.older}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {openId !== undefined && <OneDelivery id={openId} onClose={() => setOpenId(undefined)} />}
    </section>
  );
}

function OneDelivery({ id, onClose }: { readonly id: string; onClose(): void }) {
  const detail = useAnswer('GET /api/agent-deliveries/{id}', { params: { id } }, { everyMs: 3_000 });
  const replay = () => ask('POST /api/agent-deliveries/{id}/replay', { params: { id } });
  return (
    <Dialog title={t.title} onClose={onClose}>
      <Loaded answer={detail}>{(found) => <Shown {...found} />}</Loaded>
      <div class="row">
        <Action run={replay} done={t.replayed}>
          {t.replay}
        </Action>
      </div>
    </Dialog>
  );
}

function Shown({ status, error, payload, response_body: reply, actions, attempts, usage }: Detail) {
  return (
    <>
      <p class="row">
        <DeliveryBadge status={status} /> <span class="small">{error}</span>
      </p>
      <p class="quiet small">{t.cost(attempts, usage.input_tokens, usage.output_tokens)}</p>
      <h3>{t.event}</h3>
      <Source text={JSON.stringify(payload, null, 2)} label={t.event} />
      {reply !== null && (
        <>
          <h3>{t.reply}</h3>
          <Source text={reply} label={t.reply} />
        </>
      )}
      {actions.length > 0 && (
        <>
          <h3>{t.actions}</h3>
          <ul>
            {actions.map(({ index, action, status: outcome, reason }) => (
              <li key={index}>
                <code>{JSON.stringify(action)}</code> {outcome} {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

type Tested = Answers['POST /api/agents/{agent_id}/test'];

/** Sends the model a message of the gateway's own, and shows its reply. */
export function TestAgent({ agentId }: { readonly agentId: string }) {
  const [tested, setTested] = useState<Tested>();
  const test = async (): Promise<void> => {
    const params = { agent_id: agentId };
    setTested(await ask('POST /api/agents/{agent_id}/test', { params, query: { wait: 55 } }));
  };
  const forget = () =>
    ask('POST /api/agents/{agent_id}/reset-conversations', { params: { agent_id: agentId } });
  return (
    <Card title={provider.test} hint={provider.testHint}>
      <div class="row">
        <Action class="primary" run={test}>
          {provider.testAction}
        </Action>
        <Action run={forget} done={provider.forgotten}>
          {provider.forget}
        </Action>
      </div>
      {tested && (
        <>
          <p class="row">
            <DeliveryBadge status={tested.status} /> <span class="small">{tested.error}</span>
          </p>
          {tested.response_body !== null && <Source text={tested.response_body} label={t.reply} />}
        </>
      )}
    </Card>
  );
}
